import { BINARY_OPERATORS, type BinaryOperator, type Expression } from './expression.ts';
import { TemplateTrouble } from './template-trouble.ts';
import { type Token, tokenAt } from './tokens.ts';

/** More than enough for a readable expression, and a bound on the depth of processing. */
const MAX_PARTS = 256;

const STRENGTH: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

const WORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Parses from after `${` to the closing `}`; `end` is where the text continues. */
export function parseExpression(source: string, from: number): { expression: Expression; end: number } {
  const reader = new Reader(source, from);
  const expression = choice(reader);
  return { expression, end: reader.expect('}').end };
}

/** One token of lookahead, and a count of the tokens so far. */
class Reader {
  readonly #source: string;
  readonly #from: number;
  #parts = 0;
  #next: Token;

  constructor(source: string, from: number) {
    this.#source = source;
    this.#from = from;
    this.#next = tokenAt(source, from);
  }

  get next(): Token {
    return this.#next;
  }

  take(): Token {
    const token = this.#next;
    this.#parts += 1;
    if (this.#parts > MAX_PARTS)
      throw new TemplateTrouble(this.#from, `has more than ${MAX_PARTS} parts; move some into values`);
    this.#next = tokenAt(this.#source, token.end);
    return token;
  }

  sees(symbol: string): boolean {
    return this.#next.kind === 'symbol' && this.#next.value === symbol;
  }

  takeIf(symbol: string): boolean {
    if (!this.sees(symbol)) return false;
    this.take();
    return true;
  }

  /** The closing brace is not consumed: the text after it is not part of the expression. */
  expect(symbol: string): Token {
    if (!this.sees(symbol)) throw this.trouble(`expected ${symbol}`);
    return symbol === '}' ? this.#next : this.take();
  }

  trouble(message: string): TemplateTrouble {
    const { kind, at } = this.#next;
    if (kind === 'end') return new TemplateTrouble(this.#from, 'this ${ has no }; write $${ for a literal ${');
    return new TemplateTrouble(at, message);
  }
}

function choice(reader: Reader): Expression {
  const when = binary(reader, 1);
  if (!reader.takeIf('?')) return when;
  const yes = choice(reader);
  reader.expect(':');
  return { kind: 'choice', at: when.at, when, yes, no: choice(reader) };
}

/** Operators at least as strong as `least`; equal ones are left-associative. */
function binary(reader: Reader, least: number): Expression {
  let left = unary(reader);
  for (;;) {
    const operator = operatorOf(reader.next);
    if (operator === undefined || STRENGTH[operator] < least) return left;
    reader.take();
    left = { kind: 'binary', at: left.at, operator, left, right: binary(reader, STRENGTH[operator] + 1) };
  }
}

function operatorOf(token: Token): BinaryOperator | undefined {
  return token.kind === 'symbol' ? BINARY_OPERATORS.find((operator) => operator === token.value) : undefined;
}

function unary(reader: Reader): Expression {
  const { at } = reader.next;
  if (reader.takeIf('!')) return { kind: 'unary', at, operator: '!', operand: unary(reader) };
  if (reader.takeIf('-')) return { kind: 'unary', at, operator: '-', operand: unary(reader) };
  return members(reader, operand(reader));
}

function members(reader: Reader, of: Expression): Expression {
  if (reader.takeIf('.')) {
    const { at } = reader.next;
    const key: Expression = { kind: 'literal', at, value: fieldName(reader) };
    return members(reader, { kind: 'member', at: of.at, of, key });
  }
  if (!reader.takeIf('[')) return of;
  const key = choice(reader);
  reader.expect(']');
  return members(reader, { kind: 'member', at: of.at, of, key });
}

function fieldName(reader: Reader): string {
  if (reader.next.kind !== 'name') throw reader.trouble('expected a name after the dot; write ["a-b"] for other keys');
  const { value } = reader.next;
  reader.take();
  return value;
}

function operand(reader: Reader): Expression {
  const token = reader.next;
  if (token.kind === 'number' || token.kind === 'text') {
    reader.take();
    return { kind: 'literal', at: token.at, value: token.value };
  }
  if (token.kind === 'name') return named(reader, token.value);
  if (!reader.takeIf('(')) throw reader.trouble('expected a value, a variable or a function');
  const inner = choice(reader);
  reader.expect(')');
  return inner;
}

function named(reader: Reader, name: string): Expression {
  const { at } = reader.take();
  const word = WORDS.get(name);
  if (word !== undefined) return { kind: 'literal', at, value: word };
  if (!reader.takeIf('(')) return { kind: 'variable', at, name };
  const args: Expression[] = [];
  while (!reader.sees(')')) {
    args.push(choice(reader));
    if (!reader.takeIf(',')) break;
  }
  reader.expect(')');
  return { kind: 'call', at, name, args };
}
