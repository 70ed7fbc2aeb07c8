import { BoundedCel, CelError } from '#kit/cel';
import type { RuleEvaluator } from '../domain/health/judge-health.ts';

/**
 * Rules may take so long in one turn of the event loop: for a proxied cluster it is that of the platform. One rule is bounded
 * by its estimated cost; a deployment has many objects.
 */
const TURN_MS = 250;

/**
 * Rules in CEL. One that is refused, as a rule may be that was stored before a limit came, has no answer, and its objects
 * are not well until it is replaced.
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
      return typeof answer === 'boolean' ? answer : 'it is neither true nor false';
    } catch (error) {
      if (error instanceof CelError) return error.message;
      throw error;
    } finally {
      spend(now() - began);
    }
  };
}
