import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type ConnectionOptions, SqliteConnection } from './connection.ts';
import { toFault } from './sqlite-errors.ts';
import type { WriterRequest } from './writer-protocol.ts';
import { serveWriter, type WriterService } from './writer-service.ts';

/**
 * How long the thread stays awake after a request, in case another follows at once. It keeps a core busy meanwhile: with 0.2 ms, a third
 * of the CPU time of a busy platform was spent here.
 */
const AWAKE_MS = 0.03;

/** Data passed to the thread at its start. */
export interface WriterWorkerData {
  readonly connection: ConnectionOptions;
  readonly port: MessagePort;
  /** Counts the requests; the thread sleeps on it. */
  readonly bell: Int32Array;
}

/**
 * The thread that owns the only writing connection, so that neither a long statement nor a disk sync blocks other work.
 *
 * DECISION: the thread sleeps on a shared counter and fetches requests itself. Through its event loop, a round trip
 * takes 20 to 50 microseconds; this way it takes 8, about as long as a small statement.
 */
const { connection, port, bell } = workerData as WriterWorkerData;
const service = open();
if (service !== undefined) serveUntilClosed(service);

function serveUntilClosed(serve: WriterService): void {
  for (;;) {
    const heard = Atomics.load(bell, 0);
    const received: { message: WriterRequest | 'close' } | undefined = receiveMessageOnPort(port);
    if (received === undefined) rest(heard);
    else if (received.message === 'close') break;
    else port.postMessage(serve(received.message));
  }
  serve.close();
  port.close();
}

/**
 * A caller that was just answered often sends its next request sooner than a sleeping thread wakes up: waking takes as long as the
 * sync of a fast disk.
 */
function rest(heard: number): void {
  for (const until = performance.now() + AWAKE_MS; performance.now() < until; ) {
    if (Atomics.load(bell, 0) !== heard) return;
  }
  Atomics.wait(bell, 0, heard);
}

function open(): WriterService | undefined {
  try {
    const opened = serveWriter(new SqliteConnection(connection));
    port.postMessage('ready');
    return opened;
  } catch (error) {
    port.postMessage({ refused: toFault(error) });
    port.close();
    return undefined;
  }
}
