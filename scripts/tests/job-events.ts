import { appendFileSync } from 'node:fs';
import type { EventData } from 'node:test';
import { inspect, stripVTControlCharacters } from 'node:util';

export const OUTCOMES = ['passed', 'failed', 'skipped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One line of a job's report. */
export type JobEvent =
  | { readonly kind: 'begun'; readonly file: number }
  | {
      readonly kind: 'test';
      readonly file: number;
      /** From the outermost suite inward. */
      readonly path: readonly string[];
      readonly outcome: Outcome;
      readonly ms: number;
      readonly reason?: string;
      readonly error?: string;
    }
  | { readonly kind: 'ended'; readonly file: number; readonly ms: number; readonly error?: string }
  /** CPU time of the process and of its children that have ended. */
  | { readonly kind: 'used'; readonly cpuMs: number };

// A private-use character: a pattern for test names also matches the names of enclosing suites, and would otherwise match
// numbers or paths.
const FIRST_MARK = 0xe000;
const ERROR_LENGTH = 16_000;

/** The name of the suite that holds the tests of a file. */
export function fileMark(index: number): string {
  return String.fromCodePoint(FIRST_MARK + index);
}

type RunnerEvent =
  | { readonly type: 'test:start'; readonly data: EventData.TestStart }
  | { readonly type: 'test:pass'; readonly data: EventData.TestPass }
  | { readonly type: 'test:fail'; readonly data: EventData.TestFail }
  | { readonly type: 'other' };

/** Names the file to which the reporter writes. */
export const REPORT = 'FLEETSHIFT_TEST_REPORT';

export function note(event: JobEvent): void {
  appendFileSync(process.env[REPORT] ?? '/dev/null', `${JSON.stringify(event)}\n`);
}

/**
 * Reporter for `node --test-reporter`: one JSON object per line. It writes synchronously, to a file of its own, so that
 * nothing is lost when the process ends in the middle of a test. The runner's own destination gets nothing.
 */
// oxlint-disable-next-line import/no-default-export, require-yield -- The runner takes the default export, a generator.
export default async function* report(events: AsyncIterable<RunnerEvent>): AsyncIterable<string> {
  const names: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') {
      const { nesting, name } = event.data;
      names.splice(nesting, Number.POSITIVE_INFINITY, name);
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      for (const told of eventsOf(event, names)) note(told);
    }
  }
}

function* eventsOf(event: Extract<RunnerEvent, { type: 'test:pass' | 'test:fail' }>, names: readonly string[]) {
  const { data } = event;
  const path = [...names.slice(0, data.nesting), data.name];
  const file = indexOf(path[0] ?? '');
  const error = event.type === 'test:fail' ? { error: said(event.data.details.error) } : {};
  const ms = data.details.duration_ms;
  const isSuite = data.details.type === 'suite';
  if (data.nesting === 0) {
    yield { kind: 'ended', file, ms, ...(isOwn(event) ? error : {}) } satisfies JobEvent;
  } else if (!isSuite || isOwn(event) || data.skip !== undefined) {
    const reason = typeof data.skip === 'string' ? { reason: data.skip } : {};
    const outcome = event.type === 'test:fail' ? 'failed' : data.skip === undefined ? 'passed' : 'skipped';
    yield { kind: 'test', file, path: path.slice(1), outcome, ms, ...reason, ...error } satisfies JobEvent;
  }
}

/** A suite fails with its tests; only its own failure, in a hook or in its body, is reported. */
function isOwn(event: Extract<RunnerEvent, { type: 'test:pass' | 'test:fail' }>): boolean {
  if (event.type === 'test:pass') return false;
  const { failureType } = event.data.details.error as { failureType?: string };
  return failureType !== 'subtestsFailed';
}

function said(error: Error): string {
  const { cause = error } = error;
  const text = cause instanceof Error || typeof cause !== 'string' ? inspect(cause, { depth: 5 }) : cause;
  return stripVTControlCharacters(text).slice(0, ERROR_LENGTH);
}

function indexOf(mark: string): number {
  return (mark.codePointAt(0) ?? FIRST_MARK) - FIRST_MARK;
}
