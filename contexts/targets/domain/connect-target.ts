import type { ResourceName } from '#kit/std';
import type { ConnectionState, Target } from './target.ts';

/** A session's report on the connection of its target. */
export interface ConnectionReport {
  readonly target: ResourceName;
  readonly state: Exclude<ConnectionState, 'NeverConnected'>;
  /** When that was the case. */
  readonly time: number;
}

/**
 * The holder of the connection is gone. The time of the disconnect is unknown, so `lastSeenTime` stays. Later reports count as
 * usual.
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
 * Returns the same object for an outdated report. Sessions of one target may end and begin in two processes; the report with
 * the later time counts, whichever arrives last. Neither generation nor placement is affected.
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
