import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HostPort, printHostPort } from '#kit/config';
import type { Runnable } from '#kit/reconcile';
import { aborted } from '#kit/std';
import { CrsProcessError } from '../crs-process-error.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface PlainListener extends Runnable {
  readonly address: HostPort;
}

/** Serves paths for machines, such as `/healthz`, and nothing else. */
export async function listenPlainly(
  at: HostPort,
  answers: Readonly<Record<string, () => Answer | Promise<Answer>>>,
): Promise<PlainListener> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const answer = request.method === 'GET' && Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    Promise.try(answer).then(
      (given) => send(response, given),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  try {
    server.listen(at);
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrsProcessError('ADDRESS_UNUSABLE', `listen on ${printHostPort(at)}: ${why}`, { cause });
  }
  const address = { host: at.host, port: (server.address() as AddressInfo).port };
  return {
    name: `listener on ${printHostPort(address)}`,
    address,
    run: async (signal) => {
      await aborted(signal);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}
