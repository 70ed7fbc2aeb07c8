import { createServer, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

/**
 * One hop of a reverse proxy with nothing but Node: it passes on requests and responses as they come, and checks, counts
 * and proves nothing. Two of these in a row are the least that a platform and an agent cost.
 */
export interface BareHop {
  /** A Unix socket; without it, a free port of loopback. */
  readonly socket?: string;
  readonly next:
    | { readonly socketPath: string }
    | { readonly server: string; readonly ca: string; readonly headers: Readonly<Record<string, string>> };
}

const { socket, next } = JSON.parse(process.argv[2] ?? '') as BareHop;
const KEPT = { keepAlive: true, maxFreeSockets: 16 };
const ask =
  'server' in next
    ? tlsAsk(new URL(next.server), { ...next, agent: new TlsAgent(KEPT) })
    : plainAsk({ ...next, agent: new PlainAgent(KEPT) });

const server = createServer((request, response) => {
  const outgoing = ask(request, (incoming) => {
    response.writeHead(incoming.statusCode ?? 0, incoming.rawHeaders);
    incoming.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
});
// Connections last while others are measured.
server.keepAliveTimeout = 0;
if (socket === undefined) server.listen(0, '127.0.0.1', tell);
else server.listen(socket, tell);

type Ask = (request: IncomingMessage, answered: (incoming: IncomingMessage) => void) => ReturnType<typeof plainRequest>;

function plainAsk(options: { readonly socketPath: string; readonly agent: PlainAgent }): Ask {
  return ({ method = '', url = '', headers }, answered) =>
    plainRequest({ ...options, method, path: url, headers }, answered);
}

function tlsAsk(
  { hostname, port, host }: URL,
  { agent, ca, headers: ours }: { agent: TlsAgent; ca: string; headers: Readonly<Record<string, string>> },
): Ask {
  return ({ method = '', url = '', headers }, answered) =>
    tlsRequest({ hostname, port, agent, ca, method, path: url, headers: { ...headers, ...ours, host } }, answered);
}

function tell(): void {
  const address = server.address();
  process.send?.(typeof address === 'string' ? address : address?.port);
}
process.on('disconnect', () => process.exit());
