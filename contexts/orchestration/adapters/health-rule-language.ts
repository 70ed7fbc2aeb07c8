import { BoundedCel, CelError } from '#kit/cel';

const language = new BoundedCel({ object: 'dyn' });

/**
 * The fault of a health rule; `undefined` if it is valid. Rules are never evaluated here, only by the agents that report
 * health.
 */
export function healthRuleFault(expression: string): string | undefined {
  try {
    const { type } = language.compile(expression);
    return ['bool', 'dyn'].includes(type) ? undefined : `must be a condition, but is of type ${type}`;
  } catch (error) {
    if (error instanceof CelError) return `is not a valid CEL expression over object: ${error.message}`;
    throw error;
  }
}
