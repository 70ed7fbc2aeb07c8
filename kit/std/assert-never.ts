/** Closes an exhaustive switch: the compiler refuses a missing case, and data from outside that got this far is named. */
export function assertNever(value: never, what: string): never {
  throw new TypeError(`unexpected ${what}: ${JSON.stringify(value)}`);
}
