import { BoundedCel, CelError } from '#kit/cel';

const language = new BoundedCel({ object: 'dyn' });

/**
 * What is wrong with a health rule; `undefined` when nothing is. It is never evaluated here: whoever reports health does
 * that, on what it sees.
 */
export function healthRuleFault(expression: string): string | undefined {
  try {
    const { type } = language.compile(expression);
    return ['bool', 'dyn'].includes(type) ? undefined : `must be a condition, but is of type ${type}`;
  } catch (error) {
    if (error instanceof CelError) return `is not CEL over object that can be used: ${error.message}`;
    throw error;
  }
}
