import type { Precondition, Versioned } from '#kit/std';
import { HttpError } from './errors/http-error.ts';

const TAG = /^(W\/)?"([\x21\x23-\x7e]*)"$/;

/** `7-9f2c4d5e6a7b`: as in the `etag` field of a resource, and in double quotes in the header. */
export function etagOf({ uid, version }: Versioned): string {
  return `${version}-${uid.replaceAll('-', '').slice(-12)}`;
}

/** The caller's precondition for a change. Without the header there is none. */
export class IfMatch {
  readonly #wanted: readonly string[] | '*' | undefined;

  private constructor(wanted: readonly string[] | '*' | undefined) {
    this.#wanted = wanted;
  }

  static parse(header: string | undefined): IfMatch {
    if (header === undefined) return new IfMatch(undefined);
    if (header.trim() === '*') return new IfMatch('*');
    // A weak tag never matches here (RFC 9110, 13.1.1): it does not guarantee identical bytes.
    return new IfMatch(readTags(header).flatMap(({ weak, tag }) => (weak ? [] : [tag])));
  }

  /** Throws `PRECONDITION_FAILED` unless the current state is one that the caller named. */
  check(current: Versioned | undefined): void {
    if (this.#wanted === undefined || this.#matches(current)) return;
    throw new HttpError(
      'PRECONDITION_FAILED',
      'The resource is not in the state that If-Match names. Read it again, check what changed, and send the change with its new etag.',
      current ? { details: { currentEtag: etagOf(current) } } : {},
    );
  }

  #matches(current: Versioned | undefined): boolean {
    if (current === undefined) return false;
    return this.#wanted === '*' || (this.#wanted ?? []).includes(etagOf(current));
  }
}

/** Whether the caller already has this state. Weak tags match here (RFC 9110, 13.1.2); an unreadable header does not. */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((item) => TAG.exec(item.trim())?.[2] === etag);
}

function readTags(header: string): { weak: boolean; tag: string }[] {
  return header.split(',').map((item) => {
    const match = TAG.exec(item.trim());
    if (match) return { weak: match[1] !== undefined, tag: match[2] ?? '' };
    const message = 'must be *, or etags in double quotes: If-Match: "7-9f2c4d5e6a7b"';
    throw new HttpError('VALIDATION_FAILED', `The header If-Match ${message}.`, {
      faults: [{ path: 'header/if-match', message }],
    });
  });
}

/** Checks `If-Match`, and passes the state before the change to the audit log, which compares with it. */
export function auditedPrecondition<T extends Versioned>(
  request: { readonly ifMatch: IfMatch; changes(before: object): void },
  toResource: (current: T) => object,
): Precondition<T> {
  return {
    check: (current) => {
      request.changes(toResource(current));
      request.ifMatch.check(current);
    },
  };
}
