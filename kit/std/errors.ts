/**
 * Error categories that every adapter can translate: HTTP derives a status from them, the CLI an exit code.
 * `unavailable` can be retried unchanged; `conflict` only after reading again.
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

/** `later`: the same call may succeed later. `after-change`: only after the caller or an operator changes something. */
export type Retry = 'never' | 'later' | 'after-change';

export interface CatalogueEntry {
  readonly category: ErrorCategory;
  readonly retry: Retry;
}

/** The closed list of the codes that a module throws. The module's README lists the same codes; a test compares them. */
export type Catalogue = Readonly<Record<string, CatalogueEntry>>;

/** A fault in one input field: a JSON pointer and a sentence. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

export interface FleetErrorOptions {
  readonly cause?: unknown;
  /** Machine-readable facts. They appear in problem documents and logs, so they must not hold secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly faults?: readonly FieldFault[];
}

/** The base class of every module's errors. Tests and callers check `code`, never the message. */
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
