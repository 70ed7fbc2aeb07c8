import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js';
import { CelError } from './cel-error.ts';
import { checkCalls, LOOPS } from './check-calls.ts';
import { costOf } from './cost-of.ts';
import { type Size, sizeOf } from './size.ts';

/** Every function here costs at most linear time in the length of the text it works on. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...LOOPS,
  ...`has size type dyn int uint double string bool bytes timestamp duration bind startsWith endsWith contains indexOf
  lastIndexOf substring split join lowerAscii upperAscii trim getFullYear getMonth getDate getDayOfMonth getDayOfWeek
  getDayOfYear getHours getMinutes getSeconds getMilliseconds`.split(/\s+/),
]);
const MAX_LENGTH = 4_096;
const REMEMBERED = 1_000;
/** Roughly in microseconds, estimated for the worst case: an ordinary expression takes a hundredth of its estimate. */
const BUDGET = 200_000;
/** Minimum input that every expression must handle: an expression too costly for this size is refused at compile time. */
const SMALL: Size = { items: 16, text: 1_000, total: 1_000 };

export interface Expression {
  /** `bool`, `string`, `list<string>`, `dyn`. */
  readonly type: string;
  /** Throws `EXPRESSION_TOO_COSTLY` before evaluation starts, and `EXPRESSION_INVALID` if evaluation fails. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** CEL for expressions written by callers, over variables of any size. The cost is bounded before an expression runs. */
export class BoundedCel {
  readonly #environment: Environment;
  readonly #variables: readonly string[];
  readonly #compiled = new Map<string, Expression>();
  /** Sizes are cached per object: a watch evaluates the same object many times. */
  readonly #sizes = new WeakMap<object, Size>();

  constructor(variables: Readonly<Record<string, string>>) {
    this.#environment = new Environment({ limits: { maxAstNodes: 250, maxDepth: 32 } });
    for (const [name, type] of Object.entries(variables)) this.#environment.registerVariable(name, type);
    this.#variables = Object.keys(variables);
  }

  /** Throws `EXPRESSION_INVALID` or `EXPRESSION_TOO_COSTLY`; the message says how to fix the expression. */
  compile(source: string): Expression {
    const known = this.#compiled.get(source);
    if (known !== undefined) return known;
    const made = this.#compile(source);
    if (this.#compiled.size >= REMEMBERED) this.#compiled.clear();
    this.#compiled.set(source, made);
    return made;
  }

  #compile(source: string): Expression {
    if (source.length > MAX_LENGTH) throw invalid(`it is longer than ${MAX_LENGTH} characters`);
    const parsed = attempt(() => this.#environment.parse(source));
    checkCalls(parsed.ast, { functions: FUNCTIONS, where: 'an expression' }, (message) => {
      throw invalid(message);
    });
    this.#requireCheap(
      parsed.ast,
      this.#variables.map((name) => [name, SMALL]),
    );
    const { valid, type, error } = parsed.check();
    if (!valid) throw invalid(error?.summary ?? 'types do not fit');
    return { type: String(type), evaluate: (variables) => this.#evaluate(parsed, variables) };
  }

  #evaluate(parsed: ParseResult, variables: Readonly<Record<string, unknown>>): unknown {
    this.#requireCheap(
      parsed.ast,
      Object.entries(variables).map(([name, value]) => [name, this.#sizeOf(value)]),
    );
    return attempt(() => parsed(variables) as unknown);
  }

  #sizeOf(value: unknown): Size {
    if (typeof value !== 'object' || value === null) return sizeOf(value);
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const measured = sizeOf(value);
    this.#sizes.set(value, measured);
    return measured;
  }

  #requireCheap(ast: ASTNode, sizes: readonly (readonly [string, Size])[]): void {
    if (costOf(ast, new Map(sizes)) <= BUDGET) return;
    throw new CelError(
      'EXPRESSION_TOO_COSTLY',
      'it costs too much: use fewer loops inside each other, on shorter lists and texts',
    );
  }
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    // The library reports mistakes in the expression with its own error type. Any other error means that it cannot
    // handle a value.
    const known = error instanceof Error && 'summary' in error;
    throw invalid(known ? String(error.summary) : 'it cannot be evaluated', error);
  }
}

function invalid(message: string, cause?: unknown): CelError {
  return new CelError('EXPRESSION_INVALID', message, { cause });
}
