import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startBusyProcesses } from './busy-processes.ts';
import { ROOT } from './repository.ts';

/**
 * npm run test:stress                      run the suites that need servers, next to two busy processes
 * npm run test:stress -- --busy 4          next to four
 * npm run test:stress -- e2e/access        arguments of `npm test` are passed on
 */
const { count, rest } = parseArguments(process.argv.slice(2));
if (!Number.isInteger(count) || count < 0) {
  console.error('usage: npm run test:stress -- [--busy N] [arguments of npm test]');
  process.exitCode = 2;
} else {
  const busy = startBusyProcesses(count);
  try {
    console.log(`next to ${count} busy processes`);
    process.exitCode = await runTests(rest.length === 0 ? ['--servers'] : rest);
  } finally {
    await busy.stop();
  }
}

function parseArguments(args: readonly string[]): { readonly count: number; readonly rest: readonly string[] } {
  const at = args.indexOf('--busy');
  if (at < 0) return { count: 2, rest: args };
  return { count: Number(args[at + 1]), rest: args.toSpliced(at, 2) };
}

async function runTests(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'test.ts'), ...args], { cwd: ROOT, stdio: 'inherit' });
  // In a terminal Ctrl-C reaches the child directly; signals sent to this process alone are passed on.
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', handOn).on('SIGTERM', handOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
