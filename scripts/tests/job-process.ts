import { readFileSync } from 'node:fs';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fileMark, note } from './job-events.ts';

/**
 * The process of a job: it runs test files one after another, each as a suite of its own, so that hooks at the top of a
 * file apply only to it. A file is loaded when the previous one has ended: timeouts created at its top start then.
 */
const FILE_MS = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS'] ?? 600_000);
const WIND_UP_MS = Number(process.env['FLEETSHIFT_TEST_WIND_UP_MS'] ?? 10_000);

process.once('exit', () => note({ kind: 'used', cpuMs: cpuMs() }));

for (const [index, file] of process.argv.slice(2).entries()) {
  note({ kind: 'begun', file: index });
  const ended = Promise.withResolvers<void>();
  describe(fileMark(index), async () => {
    try {
      await import(pathToFileURL(file).href);
    } finally {
      after(() => ended.resolve());
    }
  });
  const deadline = setTimeout(giveUp, FILE_MS, `${file} has not ended after ${FILE_MS} ms`);
  await ended.promise;
  clearTimeout(deadline);
}

// Ends a process that a forgotten server or timer keeps alive, and reports what kept it. The runner of node:test waits
// for an empty event loop, so this timer must not keep the loop alive.
setTimeout(
  giveUp,
  WIND_UP_MS,
  `the process of the tests has not ended ${WIND_UP_MS} ms after the last of them`,
).unref();

function giveUp(why: string): void {
  const open = process.getActiveResourcesInfo().toSorted().join(', ');
  process.stderr.write(`${why}; still open: ${open}\n`);
  // Lets the reporter write once more in the next turn of the event loop.
  setTimeout(() => process.exit(1), 100);
}

/** Linux counts in hundredths of a second and includes children; elsewhere only this process is measured. */
function cpuMs(): number {
  try {
    const [, numbers = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const ticks = numbers.split(' ').slice(11, 15).map(Number);
    return ticks.reduce((sum, count) => sum + count, 0) * 10;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}
