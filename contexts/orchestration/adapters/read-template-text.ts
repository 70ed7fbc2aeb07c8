import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type Document as YamlDocument } from 'yaml';
import type { FieldFault } from '#kit/std';
import type { Document } from '../domain/manifest/document-identity.ts';
import type { Json } from '../domain/manifest/json.ts';
import { type Parsed, parsedUnless } from '../domain/manifest/parsed.ts';
import type { Position, TemplateText } from '../domain/manifest/template/template-source.ts';

/** Aliases are expanded, and a few lines of them can stand for gigabytes. */
const MAX_ALIASES = 100;

/** Templates in YAML, of one or more documents. Empty ones, as between two `---`, are none. */
export function readTemplateText(text: string, at: string): Parsed<TemplateText> {
  const lines = new LineCounter();
  const all = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  // A text with nothing in it has no list of documents, but something like one.
  const parts = (Array.isArray(all) ? [...all] : []).filter((part) => part.errors.length > 0 || !isEmpty(part));
  const placed = (offset: number, message: string): FieldFault => {
    const { line, col } = lines.linePos(offset);
    return { path: at, message: `line ${line}, column ${col}: ${firstLine(message)}` };
  };
  const faults = parts.flatMap((part) =>
    [...part.errors, ...part.warnings].map(({ pos, message }) => placed(pos[0], message)),
  );
  if (faults.length > 0) return { kind: 'faulty', faults };
  const read = parts.map((part) => valueOf(part));
  const unreadable = read.flatMap((each, index) =>
    'fault' in each ? [placed(parts[index]?.range?.[0] ?? 0, each.fault)] : [],
  );
  return parsedUnless(unreadable, () => ({
    documents: read.flatMap((each) => ('value' in each ? [each.value as Document] : [])),
    locate: (path, inner) => locate({ text, lines, parts }, path, inner),
  }));
}

function isEmpty({ contents }: YamlDocument): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

function valueOf(part: YamlDocument): { readonly value: Json } | { readonly fault: string } {
  try {
    return { value: part.toJS({ maxAliasCount: MAX_ALIASES }) as Json };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { fault: error.message };
  }
}

interface Source {
  readonly text: string;
  readonly lines: LineCounter;
  readonly parts: readonly YamlDocument[];
}

/**
 * A text on one line has its own columns. In one that was folded or is on several lines, what is further down is as
 * many lines further down in the file, and columns are those of its line there.
 */
function locate({ lines, parts, text }: Source, path: string, inner: Position): Position {
  const [number = '0', ...steps] = path.split('/').slice(1).map(unescapePointer);
  const found = nodeAt(parts[Number(number)]?.contents, steps);
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

/** A key of a mapping is at the key, when the last step leads to what is not a value of its own. */
function nodeAt(root: unknown, steps: readonly string[]): Node | undefined {
  let node = root;
  for (const step of steps) {
    if (isMap(node)) node = node.items.find(({ key }) => isScalar(key) && String(key.value) === step)?.value;
    else if (isSeq(node)) node = node.items[Number(step)];
    else return undefined;
  }
  return (node ?? undefined) as Node | undefined;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
