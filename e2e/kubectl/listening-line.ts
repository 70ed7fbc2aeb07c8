import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueServerPair, type KeyPair } from '../../testing/clusters/certificate-authority.ts';

export interface ListeningLineOptions {
  /** The API server to forward to, and its CA. */
  readonly to: { readonly server: string; readonly ca: string };
  /** Signs the certificate of this end. */
  readonly authority: KeyPair;
}

/** A forwarded request: the user it claimed, and its credentials. */
export interface Overheard {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly impersonated: string | undefined;
}

export interface ListeningLine {
  readonly server: string;
  readonly overheard: readonly Overheard[];
  /** Every forwarded header, as text. */
  everything(): string;
  close(): Promise<void>;
}

/** A second address of an API server that records the requests sent to it. */
export async function startListeningLine({ to, authority }: ListeningLineOptions): Promise<ListeningLine> {
  const overheard: Overheard[] = [];
  const headers: string[] = [];
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = 'GET', url: path = '/', headers: said } = incoming;
    const impersonated = said['impersonate-user'];
    overheard.push({ path, authorization: said.authorization, impersonated: impersonated && String(impersonated) });
    headers.push(incoming.rawHeaders.join('\n'));
    const onward = request(new URL(path, to.server), { method, headers: said, ca: to.ca }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(issueServerPair(authority, ['127.0.0.1']), pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    overheard,
    everything: () => headers.join('\n'),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
