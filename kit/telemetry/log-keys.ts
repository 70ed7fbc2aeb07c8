/**
 * Every key that a log line may carry, so that one query finds all lines about a subject, whichever component wrote
 * them. Add a new key here first: `LogFields` accepts no other.
 *
 * DECISION: no domain words, as everywhere in kit. The subject of a line goes into `subject`, written as in the API and
 * in events (`kind/name`).
 */
export const LOG_KEYS = [
  // source and subject
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
  'role',
  'epoch',
  // the process and its environment
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

/** Values may have any type: they are redacted and truncated before they are written. */
export type LogFields = { readonly [Key in LogKey]?: unknown };
