export const REDACTED = '[redacted]';

/**
 * A value that cannot leave by accident: printing, interpolating, inspecting and serialising all give `[redacted]`, and
 * the one way to see it is a call that a reviewer can search for.
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

  // The name under which util.inspect, and with it console.log and assertion messages, finds its custom printer.
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}
