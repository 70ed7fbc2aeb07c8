/**
 * What went wrong, in words that every adapter can translate: HTTP picks a status from it, the CLI an exit code.
 * `unavailable` is worth trying again as it is; `conflict` only after looking again.
 */
export const ERROR_CATEGORIES = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'precondition',
  'exhausted',
  'unavailable',
  'timeout',
  'internal',
] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** `later`: the same call may succeed. `after-change`: only once the caller or an operator changed something. */
export type Retry = 'never' | 'later' | 'after-change';

export interface CatalogueEntry {
  readonly category: ErrorCategory;
  readonly retry: Retry;
}

/** A closed list of the codes that one module throws. Its README lists the same codes; a test compares the two. */
export type Catalogue = Readonly<Record<string, CatalogueEntry>>;

/** One thing wrong with one field of the input, as a JSON pointer and a sentence. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

export interface FleetErrorOptions {
  readonly cause?: unknown;
  /** Facts for machines: they go into problem documents and logs, so they never hold a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly faults?: readonly FieldFault[];
}

/** The base of every module's error class. Tests and callers look at `code`, never at the message. */
export abstract class FleetError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;
  readonly faults: readonly FieldFault[];

  constructor(code: Code, message: string, options: FleetErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.details = options.details ?? {};
    this.faults = options.faults ?? [];
  }

  abstract get entry(): CatalogueEntry;
}
