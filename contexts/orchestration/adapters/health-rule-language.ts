import { Environment } from '@marcbachmann/cel-js';

const environment = new Environment({ limits: { maxAstNodes: 250, maxDepth: 32 } }).registerVariable('object', 'dyn');

/**
 * What is wrong with a health rule; `undefined` when nothing is. It is never evaluated here: whoever reports health does
 * that, on what it sees.
 */
export function healthRuleFault(expression: string): string | undefined {
  try {
    const { valid, type, error } = environment.parse(expression).check();
    if (!valid) return `is not CEL over object: ${error?.summary ?? 'types do not fit'}`;
    return ['bool', 'dyn'].includes(String(type)) ? undefined : `must be a condition, but is of type ${type}`;
  } catch (error) {
    const why = error instanceof Error && 'summary' in error ? `: ${String(error.summary)}` : '';
    return `is not CEL over object${why}`;
  }
}
