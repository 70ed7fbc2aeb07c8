import { parseFieldPath, valuesAt } from './field-path.ts';
import type { Check, IndexHealthRule, ObjectHealth } from './index-schema.ts';

/** A check that is prepared for many objects. */
export type ReadyCheck = (object: unknown) => boolean;

export interface ReadyRule {
  readonly health: ObjectHealth;
  readonly when: readonly ReadyCheck[];
}

export function readyRules(rules: readonly IndexHealthRule[]): readonly ReadyRule[] {
  return rules.map(({ health, when }) => ({ health, when: readyChecks(when) }));
}

/** A check whose path cannot be parsed never holds: it comes from another release, or was refused when it was written. */
export function readyChecks(checks: readonly Check[]): readonly ReadyCheck[] {
  return checks.map(readyCheck);
}

/** Without rules, health follows from the conditions that nearly all controllers use in the same way. */
export function healthOf(object: unknown, rules: readonly ReadyRule[]): ObjectHealth {
  for (const { health, when } of rules.length === 0 ? BY_CONDITIONS : rules) {
    if (when.every((holds) => holds(object))) return health;
  }
  return 'Unknown';
}

function readyCheck({ path, in: values, exists, below }: Check): ReadyCheck {
  const steps = parseFieldPath(path);
  if (steps === undefined) return () => false;
  if (exists !== undefined) return (object) => valuesAt(object, steps).length > 0 === exists;
  if (values !== undefined) {
    const wanted = new Set(values);
    return (object) => valuesAt(object, steps).some((value) => wanted.has(String(value)));
  }
  const others = below === undefined ? undefined : parseFieldPath(below);
  if (others === undefined) return () => false;
  return (object) => numberOf(valuesAt(object, steps)) < numberOf(valuesAt(object, others));
}

function numberOf(values: readonly unknown[]): number {
  const [first] = values;
  return typeof first === 'number' ? first : 0;
}

const status = (type: string): string => `status.conditions[type=${type}].status`;

const BY_CONDITIONS = readyRules([
  { health: 'Progressing', when: [{ path: 'metadata.deletionTimestamp', exists: true }] },
  { health: 'Failed', when: [{ path: status('Failed'), in: ['True'] }] },
  { health: 'Degraded', when: [{ path: status('Stalled'), in: ['True'] }] },
  { health: 'Degraded', when: [{ path: status('Degraded'), in: ['True'] }] },
  ...['Ready', 'Available', 'Healthy', 'Established', 'Programmed', 'Accepted'].flatMap((type) => [
    { health: 'Healthy' as const, when: [{ path: status(type), in: ['True'] }] },
    { health: 'Progressing' as const, when: [{ path: status(type), in: ['False', 'Unknown'] }] },
  ]),
]);
