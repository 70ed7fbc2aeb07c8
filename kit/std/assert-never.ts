/** Closes an exhaustive switch: the compiler rejects a missing case, and unexpected external data is named in the error. */
export function assertNever(value: never, what: string): never {
  throw new TypeError(`unexpected ${what}: ${JSON.stringify(value)}`);
}
