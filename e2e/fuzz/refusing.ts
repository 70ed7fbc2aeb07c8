/** Swallows refusals of the parser's own type; anything else goes on to the fuzzer. */
export function refusing(kind: abstract new (...args: never[]) => Error, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
  }
}
