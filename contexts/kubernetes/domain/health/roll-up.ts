import { keyText, type ObjectKey } from '../kube-object.ts';
import { badness, type HealthState, type ObjectHealth } from './object-health.ts';

export interface JudgedObject {
  readonly key: ObjectKey;
  readonly health: ObjectHealth;
}

/** How a deployment is, as the worst of its objects are. */
export interface DeploymentHealth {
  readonly state: HealthState;
  /** Of the worst one. */
  readonly reason: string;
  /** Names the worst ones and why; empty when all is well. */
  readonly message: string;
}

const MAX_NAMED = 3;
const MAX_EACH = 240;

/**
 * In whatever order objects come, the same state has the same words. Objects that nobody speaks for hold nothing back: only
 * where there are no others the deployment is no more than `Applied`.
 */
export function rollUp(objects: readonly JudgedObject[]): DeploymentHealth {
  const worst = Math.max(0, ...objects.map(({ health }) => badness(health)));
  if (worst <= badness({ state: 'Applied' })) {
    const isSilent = objects.length > 0 && objects.every(({ health }) => health.state === 'Applied');
    return { state: isSilent ? 'Applied' : 'Available', reason: '', message: '' };
  }
  const named = objects
    .filter(({ health }) => badness(health) === worst)
    .sort((one, two) => (keyText(one.key) < keyText(two.key) ? -1 : 1));
  const [first] = named;
  const lines = named.slice(0, MAX_NAMED).map(({ key, health }) => cut(`${keyText(key)}: ${health.message}`));
  const more = named.length > MAX_NAMED ? [`and ${named.length - MAX_NAMED} more`] : [];
  const { state = 'Available', reason = '' } = first?.health ?? {};
  return { state, reason, message: [...lines, ...more].join('; ') };
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_EACH ? `${line.slice(0, MAX_EACH)}…` : line;
}
