import type { Json } from '#kit/std';
import { isList, isObject } from '../json.ts';
import { isKubernetesSecret, markKubernetesSecret } from '../kubernetes-secret.ts';
import { isMarked, withoutMarks } from '../secret-mark.ts';
import type { Expression } from './expression.ts';
import { parseText } from './parse-text.ts';
import { TemplateTrouble } from './template-trouble.ts';

/**
 * Whether the template itself contains a secret: in a marked value, or in the data of an object that is or may become a
 * Kubernetes Secret. `${values.password}` only names a secret, and does not count.
 */
export function holdsLiteralSecret(value: Json): boolean {
  if (isMarked(value)) return holdsLiteral(withoutMarks(value));
  if (isList(value)) return value.some(holdsLiteralSecret);
  if (!isObject(value)) return false;
  return Object.values(isKubernetesSecret(value) ? markKubernetesSecret(value) : value).some(holdsLiteralSecret);
}

function holdsLiteral(value: Json): boolean {
  if (typeof value === 'string') return value !== '' && isLiteral(value);
  if (isList(value)) return value.some(holdsLiteral);
  if (isObject(value)) return Object.keys(value).length > 0;
  return typeof value === 'number';
}

function isLiteral(text: string): boolean {
  try {
    return parseText(text)?.some((part) => typeof part === 'string' || hasLiteral(part)) ?? true;
  } catch (error) {
    if (!(error instanceof TemplateTrouble)) throw error;
    return true;
  }
}

/** The key of a member is a name, not a literal value. */
function hasLiteral(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' || typeof expression.value === 'number';
    case 'variable':
      return false;
    case 'member':
      return hasLiteral(expression.of) || (expression.key.kind !== 'literal' && hasLiteral(expression.key));
    case 'call':
      return expression.args.some(hasLiteral);
    case 'unary':
      return hasLiteral(expression.operand);
    case 'binary':
      return hasLiteral(expression.left) || hasLiteral(expression.right);
    case 'choice':
      return [expression.when, expression.yes, expression.no].some(hasLiteral);
  }
}
