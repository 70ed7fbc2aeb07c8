import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { startScriptedCluster, writeAgentKubeconfig } from '../scripted-cluster.ts';

/** A stream as the API server sees it. */
export interface HeldStream {
  say(line: string): void;
  /** Resolves when the platform's side has closed it. */
  readonly closed: Promise<void>;
}

export interface StreamingCluster {
  readonly url: string;
  /** The stream with `id=…` in its query, once it has arrived. */
  held(id: string): Promise<HeldStream>;
  /** Writes a kubeconfig whose only context is named `context`. */
  writeKubeconfig(folder: string): Promise<string>;
  close(): Promise<void>;
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';

/** An API server that keeps requests with an id in their query open, and answers all others like a small cluster. */
export async function startStreamingCluster(): Promise<StreamingCluster> {
  const streams = new Map<string, PromiseWithResolvers<HeldStream>>();
  const slot = (id: string): PromiseWithResolvers<HeldStream> => {
    const known = streams.get(id) ?? Promise.withResolvers<HeldStream>();
    streams.set(id, known);
    return known;
  };
  const cluster = await startScriptedCluster({
    passes: (asked, response) => {
      const id = idIn(asked);
      if (id === undefined) return asked.url;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      slot(id).resolve(heldOn(response));
      return undefined;
    },
    upgrade: (asked, socket) => {
      socket.write(SWITCHING);
      socket.resume();
      slot(idIn(asked) ?? '').resolve(heldOn(socket));
    },
  });
  return {
    url: cluster.url,
    held: (id) => slot(id).promise,
    writeKubeconfig: (folder) => writeAgentKubeconfig(folder, cluster.url),
    close: () => cluster.close(),
  };
}

function idIn({ url = '' }: IncomingMessage): string | undefined {
  return new URL(url, 'http://x').searchParams.get('id') ?? undefined;
}

function heldOn(end: ServerResponse | Duplex): HeldStream {
  const closed = Promise.withResolvers<void>();
  end.once('close', closed.resolve);
  // The client of an upgraded connection may close it gracefully.
  end.once('end', () => end.end());
  end.on('error', () => {});
  return { say: (line) => void (end.destroyed || end.write(`${line}\n`)), closed: closed.promise };
}
