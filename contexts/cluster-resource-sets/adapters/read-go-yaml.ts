import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { assertNever, isJsonObject, type Json, type JsonObject } from '#kit/std';
import { readYaml } from '#kit/yaml';
import type { YamlReading } from '../domain/manifest.ts';
import { type GoScalar, goScalar } from './go-scalar.ts';

/** Aliases can expand a small document to any size. */
const MOST_NODES = 200_000;
const DEEPEST = 100;
/** For an object of a cluster, which has at most 3 MiB. The expanded size is limited by the node count below. */
const LIMITS = { tokens: 1_000_000, references: 10_000, expansion: 20_000_000 };
// oxlint-disable-next-line no-control-regex -- They are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const CORE_TAG = 'tag:yaml.org,2002:';

/**
 * Reads one document as sigs.k8s.io/yaml does: YAML 1.1 booleans and octals, the last of several equal keys wins, keys
 * are strings. The parser only provides the structure; scalars are interpreted here.
 */
export function readGoYaml(document: string): YamlReading {
  if (CONTROL.test(document)) return { kind: 'fault', why: 'it has control characters' };
  // Only the first document is read, as in Go: documents are split before.
  const { documents, lines, targets } = readYaml(document, {
    schema: 'failsafe',
    version: '1.1',
    duplicateKeys: 'last',
    limits: LIMITS,
  });
  const [{ contents, errors, warnings }] = documents;
  const error = errors[0] ?? warnings.find(({ code }) => code === 'BAD_DIRECTIVE');
  // Messages of the parser may quote the document, which may be a Secret.
  if (error) return { kind: 'fault', why: `not YAML: ${error.code} at line ${lines.linePos(error.pos[0]).line}` };
  try {
    return { kind: 'value', value: new GoReader(targets).read(contents, 0) };
  } catch (fault) {
    if (fault instanceof Fault) return { kind: 'fault', why: fault.message };
    throw fault;
  }
}

class Fault extends Error {}

class GoReader {
  readonly #targets: ReadonlyMap<Alias, Node>;
  #nodes = 0;

  constructor(targets: ReadonlyMap<Alias, Node>) {
    this.#targets = targets;
  }

  read(node: Node | null, depth: number): Json {
    this.#nodes += 1;
    if (this.#nodes > MOST_NODES || depth > DEEPEST) throw new Fault('it is too deep or too large, aliases included');
    if (node === null) return null;
    if (isAlias(node)) return this.read(this.#resolve(node), depth + 1);
    if (isScalar(node)) return jsonOf(scalarOf(node));
    if (isMap(node)) return this.#readMap(node, depth);
    if (isSeq<Node>(node)) return node.items.map((item) => this.read(item, depth + 1));
    throw new Fault('it has something that is neither a map, a list nor a scalar');
  }

  #readMap(map: YAMLMap, depth: number): JsonObject {
    // Without a prototype, so that `__proto__` is a normal key.
    const object: Record<string, Json> = Object.create(null) as Record<string, Json>;
    for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
      if (isMerge(key)) Object.assign(object, this.#merged(value, depth));
      else object[this.#keyOf(key, depth)] = this.read(value, depth + 1);
    }
    return object;
  }

  /** With several merged maps, earlier ones take precedence. */
  #merged(value: Node | null, depth: number): JsonObject {
    const node = isAlias(value) ? this.#resolve(value) : value;
    const parts = isSeq<Node>(node) ? node.items : [node];
    const objects = parts.map((part) => {
      const read = this.read(part, depth + 1);
      if (!isJsonObject(read)) throw new Fault('what is merged with << is not a map');
      return read;
    });
    return Object.assign({}, ...objects.toReversed()) as JsonObject;
  }

  #keyOf(key: Node | null, depth: number): string {
    const node = isAlias(key) ? this.#resolve(key) : key;
    if (!isScalar(node) || depth > DEEPEST) throw new Fault('a key is not a scalar');
    return keyText(scalarOf(node));
  }

  #resolve(alias: Alias): Node {
    const node = this.#targets.get(alias);
    if (node === undefined) throw new Fault('an alias stands for nothing');
    return node;
  }
}

function isMerge(key: Node | null): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function scalarOf(node: Scalar): GoScalar {
  const text = typeof node.value === 'string' ? node.value : '';
  const tag = node.tag?.startsWith(CORE_TAG) ? node.tag.slice(CORE_TAG.length) : undefined;
  if (tag !== undefined) return taggedScalar(tag, text);
  // Go ignores custom tags, and reads quoted scalars as strings.
  return node.tag === undefined && node.type === 'PLAIN' ? goScalar(text) : { kind: 'text', value: text };
}

function taggedScalar(tag: string, text: string): GoScalar {
  const scalar = goScalar(text);
  switch (tag) {
    case 'null':
    case 'bool':
    case 'int':
      if (scalar.kind === tag) return scalar;
      break;
    case 'float':
      if (scalar.kind === 'float') return scalar;
      if (scalar.kind === 'int') return { kind: 'float', value: Number(scalar.value) };
      break;
    case 'binary':
      return { kind: 'text', value: Buffer.from(text, 'base64').toString() };
    default:
      return { kind: 'text', value: text };
  }
  throw new Fault(`a scalar with the tag !!${tag} is none`);
}

function jsonOf(scalar: GoScalar): Json {
  switch (scalar.kind) {
    case 'null':
      return null;
    case 'int':
      // As in Go, where every number of an untyped object is a float.
      return Number(scalar.value);
    case 'float':
      if (!Number.isFinite(scalar.value)) throw new Fault('a number is infinite, or none');
      // JSON has only one zero.
      return scalar.value === 0 ? 0 : scalar.value;
    case 'bool':
    case 'text':
      return scalar.value;
    default:
      return assertNever(scalar, 'scalar');
  }
}

/** Go formats float keys with the precision of a 32-bit float. Keys for which that would matter are refused. */
const FLOAT_KEY = /^-?[0-9]{1,5}(?:\.[0-9]{1,4})?$/;

function keyText(scalar: GoScalar): string {
  if (scalar.kind === 'null') throw new Fault('a key is null');
  const text = String(scalar.value);
  const isName = scalar.kind === 'int' ? scalar.value < 2n ** 63n : scalar.kind !== 'float' || FLOAT_KEY.test(text);
  if (!isName) throw new Fault('a key is a number that is no name');
  return text;
}
