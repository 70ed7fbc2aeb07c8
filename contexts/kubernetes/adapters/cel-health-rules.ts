import { BoundedCel, CelError } from '#kit/cel';
import type { RuleEvaluator } from '../domain/health/judge-health.ts';

/**
 * Time limit for rules in one turn of the event loop, which for a proxied cluster is that of the platform. A single
 * rule is bounded by its estimated cost, but a deployment has many objects.
 */
const TURN_MS = 250;

/**
 * Health rules in CEL. A refused rule, for instance one stored before a limit was introduced, has no result: its
 * objects are not healthy until it is replaced.
 */
export function celHealthRules(now: () => number = () => performance.now()): RuleEvaluator {
  const language = new BoundedCel({ object: 'dyn' });
  let spentMs = 0;
  const spend = (ms: number): void => {
    if (spentMs === 0) setImmediate(() => (spentMs = 0)).unref();
    spentMs += Math.max(ms, Number.MIN_VALUE);
  };
  return (rule, object) => {
    if (spentMs > TURN_MS) return 'health rules take too long; use fewer of them, or simpler ones';
    const began = now();
    try {
      const answer = language.compile(rule).evaluate({ object });
      return typeof answer === 'boolean' ? answer : 'its result is not a boolean';
    } catch (error) {
      if (error instanceof CelError) return error.message;
      throw error;
    } finally {
      spend(now() - began);
    }
  };
}
