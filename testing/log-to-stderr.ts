/** Writes to stderr, where people see it whatever happens to the tests' output. */
export function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
