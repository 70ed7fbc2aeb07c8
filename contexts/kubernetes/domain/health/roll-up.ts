import { keyText, type ObjectKey } from '../kube-object.ts';
import { badness, type HealthState, type ObjectHealth } from './object-health.ts';

export interface JudgedObject {
  readonly key: ObjectKey;
  readonly health: ObjectHealth;
}

/** Health of a deployment: that of its worst objects. */
export interface DeploymentHealth {
  readonly state: HealthState;
  /** Reason of the worst object. */
  readonly reason: string;
  /** Names the worst objects and why; empty if all are healthy. */
  readonly message: string;
}

const MAX_NAMED = 3;
/** The platform takes 2,048 of a text. One message may have it all; several share it. */
const MAX_TEXT = 1_900;

/**
 * The same state always gives the same text, regardless of the order of objects. Objects that report no health hold
 * nothing back: the deployment is `Applied` only if all its objects are.
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
  const told = named.slice(0, MAX_NAMED);
  const most = Math.floor(MAX_TEXT / told.length);
  const lines = told.map(({ key, health }) => cut(`${keyText(key)}: ${health.message}`, most));
  const more = named.length > MAX_NAMED ? [`and ${named.length - MAX_NAMED} more`] : [];
  const { state = 'Available', reason = '' } = first?.health ?? {};
  return { state, reason, message: [...lines, ...more].join('; ') };
}

function cut(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
