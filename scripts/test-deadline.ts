import { isMainThread } from 'node:worker_threads';

// Loaded into the process of each test file. `--test-timeout` ends a test, but not a process that something forgotten
// keeps alive: a server, a timer, a worker. Such a file is ended here, and says what kept it.
const ms = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS']);

if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined && ms > 0) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().toSorted().join(', ');
    process.stderr.write(`${process.argv[1]} has not ended after ${ms} ms; still open: ${open}\n`);
    process.exit(1);
  }, ms).unref();
}
