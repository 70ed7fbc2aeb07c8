import {
  type ASTNode,
  Environment,
  type EvaluationError,
  type ParseResult,
  type SourceRange,
} from '@marcbachmann/cel-js';
import { type CallRules, checkCalls, childrenOf } from '#kit/cel';
import { HttpError } from '../errors/http-error.ts';

const SCALARS = ['string', 'int', 'double', 'bool', 'timestamp'] as const;
type Scalar = (typeof SCALARS)[number];
export type FilterType = Scalar | 'map<string, string>' | 'list<string>';

/** The fields of an item that a filter may name, as the API shows them. */
export interface FilterFields {
  readonly [field: string]: FilterType | FilterFields;
}

export type Predicate = (item: unknown) => boolean;

export const MAX_FILTER_LENGTH = 2000;

/**
 * A filter runs on thousands of items per request, so the work per item must be linear in its size: no functions that
 * build values.
 */
const CALLS: CallRules = {
  where: 'a filter',
  loops: 'flat',
  functions: new Set(
    `all exists exists_one has size startsWith endsWith contains lowerAscii upperAscii trim int double string bool timestamp
    duration`.split(/\s+/),
  ),
};

/** CEL errors for a field that the item does not have. */
const ABSENT: ReadonlySet<string> = new Set(['no_such_key', 'unknown_variable', 'index_out_of_bounds']);

/** CEL over declared fields. Declared once at startup; a filter is compiled for each request that has one. */
export class FilterLanguage {
  readonly #environment: Environment;
  readonly #fields: FilterFields;

  constructor(fields: FilterFields) {
    this.#fields = fields;
    this.#environment = new Environment({
      limits: { maxAstNodes: 250, maxDepth: 32, maxListElements: 100, maxMapEntries: 8, maxCallArguments: 4 },
    });
    for (const [name, type] of Object.entries(fields)) {
      if (typeof type === 'string') this.#environment.registerVariable(name, celType(type));
      else this.#environment.registerVariable({ name, schema: celSchema(type) });
    }
  }

  /** Throws `INVALID_FILTER` with the position of the error. */
  compile(source: string): Predicate {
    if (source.length > MAX_FILTER_LENGTH) throw invalidFilter(`must be at most ${MAX_FILTER_LENGTH} characters long`);
    const expression = this.#parse(source);
    checkCalls(expression.ast, CALLS, (message, node) => {
      throw invalidFilter(message, node.range);
    });
    const { valid, type, error } = expression.check();
    if (!valid) throw invalidFilter(this.#withFields(error?.summary ?? 'has mismatched types'), error?.range);
    if (type !== 'bool') throw invalidFilter(`must be a condition, but is of type ${type}`);
    this.#checkConstants(expression.ast, source);
    const read = readerFor(this.#fields);
    return (item) => evaluate(expression, read(item));
  }

  /** For the API description. */
  describe(): string {
    const fields = Object.entries(this.#fields).map(([name, type]) => `\`${name}\` (${describeType(type)})`);
    return `A CEL condition on ${fields.join(', ')}, for example \`${exampleFor(this.#fields)}\`. An item without a named field does not match.`;
  }

  /** A caller who names an unknown field learns which there are. */
  #withFields(problem: string): string {
    if (!/^(?:Unknown variable|No such key)/i.test(problem)) return problem;
    return `${problem}; the fields are ${namesIn(this.#fields).join(', ')}`;
  }

  #parse(source: string): ParseResult {
    try {
      return this.#environment.parse(source);
    } catch (error) {
      throw celFault(error);
    }
  }

  /** `timestamp("tomorrow")` is wrong for every item, so it is refused before any item is read. */
  #checkConstants(node: ASTNode, source: string): void {
    const constant = node.op === 'call' && node.args[1].length > 0 && node.args[1].every(({ op }) => op === 'value');
    if (!constant) return childrenOf(node).forEach((child) => this.#checkConstants(child, source));
    try {
      this.#environment.evaluate(source.slice(node.start, node.end));
    } catch (error) {
      throw celFault(error, node.range);
    }
  }
}

function evaluate(expression: ParseResult, context: Readonly<Record<string, unknown>>): boolean {
  try {
    return expression(context) === true;
  } catch (error) {
    if (isCelError(error) && ABSENT.has(error.code)) return false;
    throw celFault(error);
  }
}

function celFault(error: unknown, range?: SourceRange): unknown {
  return isCelError(error) ? invalidFilter(error.summary, range ?? error.range) : error;
}

function isCelError(error: unknown): error is EvaluationError {
  return error instanceof Error && 'summary' in error && 'code' in error;
}

function invalidFilter(problem: string, range?: SourceRange): HttpError {
  const message = range ? `at character ${range.start + 1}: ${problem}` : problem;
  return new HttpError('INVALID_FILTER', `The filter cannot be used, ${message}. Correct it and try again.`, {
    faults: [{ path: 'query/filter', message }],
    ...(range ? { details: { position: range.start } } : {}),
  });
}

function celType(type: FilterType): string {
  return type === 'timestamp' ? 'google.protobuf.Timestamp' : type;
}

type CelSchema = { [field: string]: string | CelSchema };

function celSchema(fields: FilterFields): CelSchema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, typeof type === 'string' ? celType(type) : celSchema(type)]),
  );
}

/** JSON has only one number type and no times; CEL needs its own types. Absent fields stay absent. */
function readerFor(fields: FilterFields): (item: unknown) => Record<string, unknown> {
  const readers = Object.entries(fields).map(([name, type]) => [name, valueReader(type)] as const);
  return (item) => {
    const context: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = (item as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined && value !== null) context[name] = read(value);
    }
    return context;
  };
}

function valueReader(type: FilterType | FilterFields): (value: unknown) => unknown {
  if (typeof type !== 'string') return readerFor(type);
  if (type === 'int') return (value) => BigInt(Number(value));
  if (type === 'timestamp') return (value) => new Date(String(value));
  return (value) => value;
}

function describeType(type: FilterType | FilterFields): string {
  if (typeof type === 'string') return type;
  return `with ${Object.entries(type)
    .map(([name, inner]) => `\`${name}\` (${describeType(inner)})`)
    .join(', ')}`;
}

/** `connection.state`. */
function namesIn(fields: FilterFields, within = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, type]) =>
    typeof type === 'string' ? [`${within}${name}`] : namesIn(type, `${within}${name}.`),
  );
}

function exampleFor(fields: FilterFields): string {
  if (fields['labels'] === 'map<string, string>') return 'labels.env == "prod"';
  const [name = 'name'] = Object.keys(fields);
  return `${name} == "web"`;
}
