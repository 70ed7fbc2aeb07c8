import type { ResourceName } from '#kit/std';
import type { ConnectionState, Target } from './target.ts';

/** What a session with an agent says of its target. */
export interface ConnectionReport {
  readonly target: ResourceName;
  readonly state: Exclude<ConnectionState, 'NeverConnected'>;
  /** When it was so. */
  readonly time: number;
}

/**
 * A connection whose holder is gone: nobody says when it ended, so that the last time that its agent was heard of stays.
 * Whatever is heard of the target after that counts, as always.
 */
export function loseConnection(target: Target, now: number): Target {
  if (target.connection.state !== 'Connected') return target;
  return {
    ...target,
    connection: { ...target.connection, state: 'Disconnected' },
    version: target.version + 1,
    updateTime: Math.max(now, target.updateTime),
  };
}

/**
 * The very same value when the report is old news: sessions of one target may end and begin in two processes, and the
 * later word counts, whichever arrives last. Neither generation nor placement has anything to do with it.
 */
export function connectTarget(target: Target, { state, time }: ConnectionReport): Target {
  const { lastSeenTime = -1, state: before } = target.connection;
  if (time < lastSeenTime || (time === lastSeenTime && state === before)) return target;
  return {
    ...target,
    connection: { state, lastSeenTime: time },
    version: target.version + 1,
    updateTime: Math.max(time, target.updateTime),
  };
}
