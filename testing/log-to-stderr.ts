/** Where people see it, whatever is done with the results of the tests. */
export function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
