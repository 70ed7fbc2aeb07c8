import { isMap, isScalar, isSeq, type LineCounter, type Node, type YAMLMap, type Document as YamlDocument } from 'yaml';
import type { FieldFault } from '#kit/std';
import { readYaml, yamlValue } from '#kit/yaml';
import type { Document } from '#protocol/delivery';
import { type Parsed, parsedUnless } from '../domain/manifest/parsed.ts';
import type { Position, TemplateText } from '../domain/manifest/template/template-source.ts';

/** Enough to fix a file; one broken line can cause thousands. */
const MOST_FAULTS = 100;

/** Templates in YAML, with one or more documents. Empty documents, as between two `---`, are ignored. */
export function readTemplateText(text: string, at: string): Parsed<TemplateText> {
  const { documents, lines } = readYaml(text);
  const parts = documents.filter((part) => part.errors.length > 0 || !isEmpty(part));
  const placed = (offset: number, message: string): FieldFault => {
    const { line, col } = lines.linePos(offset);
    return { path: at, message: `line ${line}, column ${col}: ${firstLine(message)}` };
  };
  const wrong = parts.flatMap((part) => [...part.errors, ...part.warnings]).slice(0, MOST_FAULTS);
  return parsedUnless(
    wrong.map(({ pos, message }) => placed(pos[0], message)),
    () => {
      const index: KeyIndex = new WeakMap();
      return {
        documents: parts.map((part) => yamlValue(part) as Document),
        locate: (path, inner) => locate({ text, lines, parts, index }, path, inner),
      };
    },
  );
}

function isEmpty({ contents }: YamlDocument): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** The nodes of a map by key, built on first use: a file may have as many faults as keys. */
type KeyIndex = WeakMap<YAMLMap, ReadonlyMap<string, unknown>>;

interface Source {
  readonly text: string;
  readonly lines: LineCounter;
  readonly parts: readonly YamlDocument[];
  readonly index: KeyIndex;
}

/**
 * In a text on one line, columns are exact. In a folded or multi-line text, positions are mapped line by line, and
 * columns are those of the line in the file.
 */
function locate({ lines, parts, text, index }: Source, path: string, inner: Position): Position {
  const [number = '0', ...steps] = path.split('/').slice(1).map(unescapePointer);
  const found = nodeAt(parts[Number(number)]?.contents, steps, index);
  const offset = found?.range?.[0] ?? 0;
  const { line, col } = lines.linePos(offset);
  const isBlock = isScalar(found) && (found.type === 'BLOCK_LITERAL' || found.type === 'BLOCK_FOLDED');
  if (isBlock) return { line: line + inner.line, column: inner.column + indentAt(text, lines, line + inner.line) };
  const quote = isScalar(found) && (found.type === 'QUOTE_DOUBLE' || found.type === 'QUOTE_SINGLE') ? 1 : 0;
  return inner.line === 1
    ? { line, column: col + quote + inner.column - 1 }
    : { line: line + inner.line - 1, column: inner.column };
}

function indentAt(text: string, lines: LineCounter, line: number): number {
  const start = lines.lineStarts[line - 1] ?? 0;
  return /^ */.exec(text.slice(start, start + 200))?.[0].length ?? 0;
}

/** The node at a path, if there is one. The path of a key leads to its value. */
function nodeAt(root: unknown, steps: readonly string[], index: KeyIndex): Node | undefined {
  let node = root;
  for (const step of steps) {
    if (isMap(node)) node = valuesByKey(node, index).get(step);
    else if (isSeq(node)) node = node.items[Number(step)];
    else return undefined;
  }
  return (node ?? undefined) as Node | undefined;
}

function valuesByKey(map: YAMLMap, index: KeyIndex): ReadonlyMap<string, unknown> {
  const known = index.get(map);
  if (known !== undefined) return known;
  const made = new Map(map.items.flatMap(({ key, value }) => (isScalar(key) ? [[String(key.value), value]] : [])));
  index.set(map, made);
  return made;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
