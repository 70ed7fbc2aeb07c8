import { parentPort, workerData } from 'node:worker_threads';
import { type ConnectionOptions, SqliteConnection } from './connection.ts';
import { toFault } from './sqlite-errors.ts';
import { serveWriter } from './writer-service.ts';

/** The thread that owns the one writing connection, so that neither a long statement nor a disk sync holds up the rest. */
const port = parentPort;
if (port === null) throw new TypeError('the writer runs as a worker thread');

const service = open(workerData as ConnectionOptions);
if (service !== undefined) {
  port.on('message', (request: Parameters<typeof service>[0] | 'close') => {
    if (request === 'close') {
      service.close();
      port.close();
    } else port.postMessage(service(request));
  });
}

function open(options: ConnectionOptions): ReturnType<typeof serveWriter> | undefined {
  try {
    const opened = serveWriter(new SqliteConnection(options));
    port?.postMessage('ready');
    return opened;
  } catch (error) {
    port?.postMessage({ refused: toFault(error) });
    return undefined;
  }
}
