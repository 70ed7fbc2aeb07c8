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
