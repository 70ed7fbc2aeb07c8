import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { stringify } from 'yaml';
import { FakeApiServer } from '#kit/kube/testing';

/** A stream as the API server sees it. */
export interface HeldStream {
  say(line: string): void;
  /** The platform's side of it has ended. */
  readonly closed: Promise<void>;
}

export interface StreamingCluster {
  readonly url: string;
  /** The stream whose query has `id=…`, once it has arrived. */
  held(id: string): Promise<HeldStream>;
  /** Whose only context is called `context`. */
  writeKubeconfig(folder: string): Promise<string>;
  close(): Promise<void>;
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';

/** An API server that keeps open whatever names an id in its query, and answers the rest as a small cluster would. */
export async function startStreamingCluster(): Promise<StreamingCluster> {
  const fake = await FakeApiServer.start();
  const streams = new Map<string, PromiseWithResolvers<HeldStream>>();
  const slot = (id: string): PromiseWithResolvers<HeldStream> => {
    const known = streams.get(id) ?? Promise.withResolvers<HeldStream>();
    streams.set(id, known);
    return known;
  };
  const server = createServer({ shouldUpgradeCallback: () => true }, (asked, response) => {
    const id = idIn(asked);
    if (id === undefined) return passOn(fake, asked, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    slot(id).resolve(heldOn(response));
  });
  server.on('upgrade', (asked, socket: Duplex) => {
    socket.write(SWITCHING);
    socket.resume();
    slot(idIn(asked) ?? '').resolve(heldOn(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    held: (id) => slot(id).promise,
    writeKubeconfig: (folder) => writeKubeconfig(folder, url),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await fake.close();
    },
  };
}

function idIn({ url = '' }: IncomingMessage): string | undefined {
  return new URL(url, 'http://x').searchParams.get('id') ?? undefined;
}

function heldOn(end: ServerResponse | Duplex): HeldStream {
  const closed = Promise.withResolvers<void>();
  end.once('close', closed.resolve);
  // The client of a connection that became something else may end it in order.
  end.once('end', () => end.end());
  end.on('error', () => {});
  return { say: (line) => void (end.destroyed || end.write(`${line}\n`)), closed: closed.promise };
}

function passOn(fake: FakeApiServer, asked: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '', headers } = asked;
  if (url.endsWith('selfsubjectaccessreviews')) {
    asked.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: { allowed: true } }));
    return;
  }
  const onward = httpRequest(`${fake.url}${url}`, { method, headers, agent: false }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  asked.pipe(onward);
}

async function writeKubeconfig(folder: string, server: string): Promise<string> {
  const file = join(folder, 'agent.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: { token: 'of-the-agent' } }],
    contexts: [{ name: 'context', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'context',
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
  return file;
}
