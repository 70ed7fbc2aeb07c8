import type * as Yaml from 'yaml';
import type { YamlLimits, YamlOptions } from './yaml-options.ts';

interface Check {
  readonly limits: YamlLimits;
  readonly duplicateKeys: NonNullable<YamlOptions['duplicateKeys']>;
}

interface Anchored {
  readonly node: Yaml.Node;
  /** Missing while the anchored node is still being read. */
  weight?: number;
}

/**
 * Walks the documents once, in text order: checks for duplicate keys and resolves aliases. Faults are added to the
 * errors of their document.
 */
export function checkTree(
  yaml: typeof Yaml,
  documents: readonly Yaml.Document.Parsed[],
  check: Check,
): ReadonlyMap<Yaml.Alias, Yaml.Node> {
  const walk = new TreeWalk(yaml, check);
  for (const document of documents) walk.document(document);
  return walk.targets;
}

class TreeWalk {
  readonly targets = new Map<Yaml.Alias, Yaml.Node>();
  readonly #yaml: typeof Yaml;
  readonly #check: Check;
  #anchors = new Map<string, Anchored>();
  #references = 0;
  #expansion = 0;
  #errors: Yaml.YAMLParseError[] = [];

  constructor(yaml: typeof Yaml, check: Check) {
    this.#yaml = yaml;
    this.#check = check;
  }

  document(document: Yaml.Document.Parsed): void {
    this.#anchors = new Map();
    this.#errors = document.errors;
    this.#weigh(document.contents);
    this.#errors.sort((a, b) => a.pos[0] - b.pos[0]);
  }

  /** Counts nodes and characters with aliases expanded. The recursion is as deep as the text is nested, which is bounded. */
  #weigh(node: unknown): number {
    const { isAlias, isMap, isScalar, isSeq, isPair } = this.#yaml;
    if (isAlias(node)) return this.#weighAlias(node);
    if (isPair(node)) return this.#weigh(node.key) + this.#weigh(node.value);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return 1;
    const anchored = this.#anchor(node);
    let weight = 1;
    if (isScalar(node)) weight += typeof node.value === 'string' ? node.value.length : 0;
    else for (const item of node.items) weight += this.#weigh(item);
    if (isMap(node)) this.#checkKeys(node);
    if (anchored !== undefined) anchored.weight = weight;
    return weight;
  }

  #anchor(node: Yaml.Scalar | Yaml.YAMLMap | Yaml.YAMLSeq): Anchored | undefined {
    if (node.anchor === undefined) return undefined;
    this.#countReference(node);
    const anchored: Anchored = { node };
    this.#anchors.set(node.anchor, anchored);
    return anchored;
  }

  #weighAlias(alias: Yaml.Alias): number {
    this.#countReference(alias);
    const anchored = this.#anchors.get(alias.source);
    if (anchored === undefined) return this.#refuse(alias, 'BAD_ALIAS', 'The alias has no anchor before it');
    if (anchored.weight === undefined)
      return this.#refuse(alias, 'BAD_ALIAS', 'The alias refers to a node that contains it');
    this.targets.set(alias, anchored.node);
    const { expansion } = this.#check.limits;
    const before = this.#expansion;
    this.#expansion += anchored.weight;
    if (before <= expansion && this.#expansion > expansion) {
      this.#refuse(alias, 'RESOURCE_EXHAUSTION', `Aliases add more than ${expansion} characters`);
    }
    return anchored.weight;
  }

  #countReference(node: Yaml.Node): void {
    const { references } = this.#check.limits;
    this.#references += 1;
    if (this.#references === references + 1) {
      this.#refuse(node, 'RESOURCE_EXHAUSTION', `There are more than ${references} anchors and aliases`);
    }
  }

  #checkKeys({ items }: Yaml.YAMLMap): void {
    if (this.#check.duplicateKeys === 'last') return;
    const { isAlias, isScalar } = this.#yaml;
    const seen = new Set<string>();
    for (const { key } of items) {
      const node: unknown = isAlias(key) ? this.targets.get(key) : key;
      if (!isScalar(node)) {
        if (!isAlias(key)) this.#refuse(key, 'NON_STRING_KEY', 'A key is not a string');
        continue;
      }
      const name = nameOf(node.value);
      if (seen.has(name)) this.#refuse(key, 'DUPLICATE_KEY', 'Map keys must be unique');
      seen.add(name);
    }
  }

  #refuse(node: unknown, code: Yaml.ErrorCode, message: string): number {
    const offset = (node as { range?: Yaml.Range | null } | null)?.range?.[0] ?? 0;
    this.#errors.push(new this.#yaml.YAMLParseError([offset, offset + 1], code, message));
    return 1;
  }
}

/** A scalar of the core schema is a string, number, boolean or null. */
function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
