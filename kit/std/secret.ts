import { hash, timingSafeEqual } from 'node:crypto';

export const REDACTED = '[redacted]';

/**
 * A value that cannot leak by accident: printing, interpolating, inspecting and serializing all give `[redacted]`. The
 * only access is `reveal()`, which reviewers can search for.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  // The symbol under which util.inspect, and with it console.log and assertion messages, looks up a custom printer.
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}

/**
 * The prefixes of all FleetShift tokens. Logs, traces and repository scanners recognise tokens by them, so a token with
 * any other prefix would be printed: a test searches the sources for such prefixes.
 */
export const TOKEN_PREFIXES = { access: 'fst_', session: 'fss_', bootstrap: 'fsb_' } as const;

/** Compares secrets. The duration does not reveal where they differ, nor the length of the right one. */
export function timingSafeEqualText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Hashing gives both sides the same length, which the comparison requires. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
