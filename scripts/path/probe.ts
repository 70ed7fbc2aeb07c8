import { rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** Names the folder in which each process under measurement listens, at the socket `PID.sock`. */
export const PROBE_FOLDER = 'PATH_PROBE_FOLDER';

const folder = process.env[PROBE_FOLDER];
// Worker threads hold nothing but kit.
if (folder !== undefined && isMainThread) countCalls(join(folder, `${process.pid}.sock`));

/**
 * Loaded into a process with `--import`, before the program. Each connection to the socket gets the functions that were
 * called since the one before, as V8's precise coverage, and closes.
 */
function countCalls(socket: string): void {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const server = createServer((connection) => {
    connection.on('error', () => {});
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      connection.end(error === null ? JSON.stringify(taken.result) : '');
    });
  });
  server.listen(socket);
  server.unref();
  process.on('exit', () => rmSync(socket, { force: true }));
}
