import { readFileSync } from 'node:fs';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fileMark, note } from './job-events.ts';

/**
 * The process of a job: it runs test files one after another, each as a suite of its own, so that hooks at the top of a
 * file stay in it. A file is loaded when the one before has ended: deadlines that a file takes at its top begin then.
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

// A process that something forgotten keeps alive, a server or a timer, is ended here, and says what kept it. The runner of
// node:test counts when the event loop is empty, so that this timer must not hold it.
setTimeout(
  giveUp,
  WIND_UP_MS,
  `the process of the tests has not ended ${WIND_UP_MS} ms after the last of them`,
).unref();

function giveUp(why: string): void {
  const open = process.getActiveResourcesInfo().toSorted().join(', ');
  process.stderr.write(`${why}; still open: ${open}\n`);
  // The reporter writes what it knows when the loop turns once more.
  setTimeout(() => process.exit(1), 100);
}

/** Linux counts in hundredths of a second; elsewhere only this process is known. */
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
