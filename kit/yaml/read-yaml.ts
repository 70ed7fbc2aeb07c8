import type * as Yaml from 'yaml';
import { checkTree } from './check-tree.ts';
import { loadYaml } from './load-yaml.ts';
import { YamlError } from './yaml-error.ts';
import { YAML_LIMITS, type YamlLimits, type YamlOptions } from './yaml-options.ts';

export interface YamlText {
  /** At least one document, possibly empty. The `errors` of each document are in text order. */
  readonly documents: readonly [Yaml.Document.Parsed, ...Yaml.Document.Parsed[]];
  readonly lines: Yaml.LineCounter;
  /** The node that each alias refers to. */
  readonly targets: ReadonlyMap<Yaml.Alias, Yaml.Node>;
}

/** Before the whole text was read. */
class Refused extends Error {
  readonly code: Yaml.ErrorCode;
  readonly offset: number;

  constructor(code: Yaml.ErrorCode, offset: number, message: string) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

/**
 * Reads all documents of a text in linear time. The parser's own duplicate key check is quadratic and therefore off,
 * and the limits that the parser lacks (tokens, depth, references) are enforced here.
 */
export function readYaml(text: string, options: YamlOptions = {}): YamlText {
  const { limits: own, duplicateKeys = 'refuse', ...schema } = options;
  const limits = { ...YAML_LIMITS, ...own };
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  // Always the core schema, whatever a %YAML directive asks for, and no other tags: sets, dates and bytes are not JSON,
  // and merge keys repeat work. The default log level would print warnings about the callers' documents.
  const fixed = { uniqueKeys: false, resolveKnownTags: false, logLevel: 'error' } as const;
  const composer = new yaml.Composer({ schema: 'core', ...schema, ...fixed });
  try {
    const documents = [...composer.compose(tokensOf(yaml, { text, lines, limits }), true, text.length)];
    const targets = checkTree(yaml, documents, { limits, duplicateKeys });
    // The composer is told to emit a document even for an empty text.
    return { documents: documents as [Yaml.Document.Parsed], lines, targets };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, offset, message } = error;
    const refused = new yaml.Document(null) as Yaml.Document.Parsed;
    refused.errors.push(new yaml.YAMLParseError([offset, offset + 1], code, message));
    return { documents: [refused], lines, targets: new Map() };
  }
}

/** The value of a document without errors. An alias yields the same object as its anchor. */
export function yamlValue(document: Yaml.Document): unknown {
  // Aliases are already counted above, in linear time.
  return document.toJS({ maxAliasCount: -1 }) as unknown;
}

/** The value of a text with one document. The error message may quote the text; `details` has line and column. */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  const { documents, lines } = readYaml(text, options);
  const [document, second] = documents;
  const [error] = document.errors;
  const place = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const refusal = (code: 'NOT_YAML' | 'YAML_TOO_LARGE', offset: number, message: string): YamlError => {
    const details = place(offset);
    return new YamlError(code, `${message} at line ${details.line}, column ${details.column}`, { details });
  };
  if (error !== undefined) {
    const code = error.code === 'RESOURCE_EXHAUSTION' ? 'YAML_TOO_LARGE' : 'NOT_YAML';
    throw refusal(code, error.pos[0], error.message);
  }
  if (second !== undefined) throw refusal('NOT_YAML', second.range[0], 'The text has more than one document');
  return yamlValue(document);
}

/** Telling of one costs as much as reading several tokens. Of a text with more of them only the first is told. */
const MAX_MISPLACED = 100;

interface Source {
  readonly text: string;
  readonly lines: Yaml.LineCounter;
  readonly limits: YamlLimits;
}

function* tokensOf(yaml: typeof Yaml, { text, lines, limits }: Source): Generator<Yaml.CST.Token> {
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tooMuch = (message: string): Refused => new Refused('RESOURCE_EXHAUSTION', parser.offset, message);
  let tokens = 0;
  const misplaced: Yaml.CST.ErrorToken[] = [];
  for (const lexeme of new yaml.Lexer().lex(text)) {
    tokens += 1;
    if (tokens > limits.tokens) throw tooMuch(`There are more than ${limits.tokens} tokens`);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') misplaced.push(token);
      yield token;
    }
    const [first] = misplaced;
    if (first && misplaced.length > MAX_MISPLACED) throw new Refused('UNEXPECTED_TOKEN', first.offset, first.message);
    // The stack holds the document, then the nested collections, then a scalar.
    if (parser.stack.length > limits.depth + 2) {
      throw tooMuch(`It is nested deeper than ${limits.depth}`);
    }
  }
  yield* parser.end();
}
