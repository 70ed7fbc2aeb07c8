import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { logToStderr } from '../log-to-stderr.ts';
import { ClusterHost } from './cluster-host.ts';
import type { HostCall } from './host-calls.ts';

// The process that owns the clusters of a run. Its first line of output says where it listens; it exits when its input
// ends.
const host = await ClusterHost.open({ log: logToStderr, env: process.env });
const socket = join(host.folder, 'socket');
const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.end(JSON.stringify(body ?? null)),
    (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
  );
});
server.requestTimeout = 0;
server.listen(socket, () => process.stdout.write(`${socket}\n`));
process.stdin.resume().on('end', () => {
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});

async function answer(request: IncomingMessage): Promise<unknown> {
  const call = JSON.parse(Buffer.concat(await request.toArray()).toString()) as HostCall;
  switch (call.do) {
    case 'prepare':
      return await host.prepare(call.size);
    case 'shared':
      return await host.shared(call.size);
    case 'create':
      return await host.create(call.order);
    case 'stop':
      return await host.stop(call.name);
    case 'start':
      return await host.start(call.name);
    case 'compact':
      return await host.compact(call.name);
    case 'remove':
      return await host.remove(call.name);
  }
}
