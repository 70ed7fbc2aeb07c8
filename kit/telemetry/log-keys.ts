/**
 * Every key that a log line may carry, so that one question finds all lines about one thing whoever wrote them. A new
 * key is added here first: `LogFields` knows no other.
 *
 * DECISION: no domain words, as everywhere in kit. What a line is about goes into `subject`, written as the API writes
 * it (`kind/name`), which is also what events call it.
 */
export const LOG_KEYS = [
  // who speaks, and about what
  'component',
  'subject',
  'operation',
  'principal',
  'event',
  'topic',
  'key',
  'name',
  'reason',
  'err',
  'code',
  // a request
  'requestId',
  'clientRequestId',
  'traceId',
  'method',
  'path',
  'route',
  'status',
  'remote',
  // work and waiting
  'attempt',
  'retryInMs',
  'durationMs',
  'deadlineMs',
  'count',
  'bytes',
  'dropped',
  'position',
  // the process and what it stands on
  'version',
  'signal',
  'address',
  'file',
  'setting',
  'source',
  'engine',
  'migration',
  'runnable',
  'group',
] as const;

export type LogKey = (typeof LOG_KEYS)[number];

/** Values may be anything: they are redacted and cut to size on their way out. */
export type LogFields = { readonly [Key in LogKey]?: unknown };
