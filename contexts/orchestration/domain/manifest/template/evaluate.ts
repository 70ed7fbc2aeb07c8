import type { Json } from '#kit/std';
import { assertNever, canonicalJson } from '#kit/std';
import { fieldOf, isList } from '../json.ts';
import { holdsMark, isMarked, withoutMarks } from '../secret-mark.ts';
import { type Binary, type Call, type Expression, type Member, nameOf } from './expression.ts';
import { PATH_FUNCTIONS, TEMPLATE_FUNCTIONS, typeName } from './template-functions.ts';
import { TemplateTrouble } from './template-trouble.ts';
import { sizeOf, type WorkBudget } from './work-budget.ts';

export interface Evaluation {
  readonly variables: ReadonlyMap<string, Json>;
  readonly budget: WorkBudget;
  /** Set once a secret went into the result; never reset. */
  sawSecret: boolean;
}

const ARITHMETIC = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
};

/** The value may hold marks; callers that inspect it use `look`. */
export function evaluate(expression: Expression, run: Evaluation): Json {
  run.budget.step();
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'variable':
    case 'member':
      return orTrouble(find(expression, run), expression);
    case 'call':
      return PATH_FUNCTIONS.has(expression.name) ? callWithPath(expression, run) : call(expression, run);
    case 'unary':
      return expression.operator === '!' ? !truth(expression.operand, run) : -quantity(expression.operand, run);
    case 'binary':
      return binary(expression, run);
    case 'choice':
      return evaluate(truth(expression.when, run) ? expression.yes : expression.no, run);
    default:
      return assertNever(expression, 'expression');
  }
}

/** The value without marks. A value derived from a secret is secret too, so the evaluation records it. */
export function look(value: Json, run: Evaluation): Json {
  run.budget.step(sizeOf(value));
  if (!holdsMark(value)) return value;
  run.sawSecret = true;
  return withoutMarks(value);
}

function truth(expression: Expression, run: Evaluation): boolean {
  const value = look(evaluate(expression, run), run);
  return typeof value === 'boolean' ? value : trouble(expression, `expected a boolean, not ${typeName(value)}`);
}

function find(expression: Expression, run: Evaluation): Json | undefined {
  if (expression.kind === 'variable') return run.variables.get(expression.name);
  return expression.kind === 'member' ? findMember(expression, run) : evaluate(expression, run);
}

/**
 * Looks up list items by number and object fields by name, own JSON properties only. Anything else is absent, whatever
 * the type on the way: so a manifest never depends on more of a target than it declares in `reads`.
 */
function findMember({ of, key: by }: Member, run: Evaluation): Json | undefined {
  run.budget.step();
  const found = find(of, run);
  if (found === undefined) return undefined;
  const whole = isMarked(found) ? look(found, run) : found;
  const key = look(evaluate(by, run), run);
  if (isList(whole)) return typeof key === 'number' ? whole[key] : undefined;
  return typeof key === 'string' ? fieldOf(whole, key) : undefined;
}

function callWithPath({ name, args: [path, fallback] }: Call, run: Evaluation): Json {
  const found = path && find(path, run);
  if (name === 'has') return found !== undefined;
  if (found !== undefined) return found;
  return fallback === undefined ? null : evaluate(fallback, run);
}

function call(expression: Call, run: Evaluation): Json {
  const { name } = expression;
  const args = expression.args.map((argument) => {
    const value = evaluate(argument, run);
    // Merged objects keep their marks, so that the rest of them stays open.
    return name === 'merge' && !isMarked(value) ? value : look(value, run);
  });
  const refuse = (message: string): never => trouble(expression, `${name}: ${message}`);
  const pay = (characters: number): void => run.budget.step(characters);
  const known = TEMPLATE_FUNCTIONS.get(name) ?? refuse('there is no such function');
  const result = known.run(args, { refuse, pay });
  pay(sizeOf(result));
  return result;
}

function binary(expression: Binary, run: Evaluation): Json {
  const { operator, left, right } = expression;
  switch (operator) {
    case '&&':
      return truth(left, run) && truth(right, run);
    case '||':
      return truth(left, run) || truth(right, run);
    case '==':
      return isSame(left, right, run);
    case '!=':
      return !isSame(left, right, run);
    case '<':
      return quantity(left, run) < quantity(right, run);
    case '<=':
      return quantity(left, run) <= quantity(right, run);
    case '>':
      return quantity(left, run) > quantity(right, run);
    case '>=':
      return quantity(left, run) >= quantity(right, run);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return calculate(ARITHMETIC[operator], expression, run);
    default:
      return assertNever(operator, 'operator');
  }
}

function isSame(left: Expression, right: Expression, run: Evaluation): boolean {
  return canonicalJson(look(evaluate(left, run), run)) === canonicalJson(look(evaluate(right, run), run));
}

function calculate(operation: (a: number, b: number) => number, expression: Binary, run: Evaluation): number {
  const result = operation(quantity(expression.left, run), quantity(expression.right, run));
  return Number.isFinite(result) ? result : trouble(expression, 'the result is not a number');
}

function quantity(expression: Expression, run: Evaluation): number {
  const value = look(evaluate(expression, run), run);
  if (typeof value === 'number') return value;
  return trouble(expression, `expected a number, not ${typeName(value)}`);
}

/** `null` is a value; an absent field is not. */
function orTrouble(found: Json | undefined, expression: Expression): Json {
  return found === undefined ? trouble(expression, `there is no ${nameOf(expression)}`) : found;
}

function trouble(expression: Expression, message: string): never {
  throw new TemplateTrouble(expression.at, message);
}
