import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { StreamKind } from '#contexts/api-proxy';

export type Headers = Readonly<Record<string, string>>;

/** A stream as its client sees it. */
export interface ClientStream {
  received(): string;
  /** Resolves once this text has been received. */
  until(text: string): Promise<void>;
  readonly closed: Promise<void>;
  close(): void;
}

const POD = '/api/v1/namespaces/default/pods/web-0';

/** The path of each kind of stream, and whether it upgrades the connection. */
export const API_STREAMS: Readonly<Record<StreamKind, { readonly path: string; readonly isUpgrade: boolean }>> = {
  watch: { path: '/api/v1/pods?watch=true', isUpgrade: false },
  log: { path: `${POD}/log?follow=true`, isUpgrade: false },
  exec: { path: `${POD}/exec?command=sh`, isUpgrade: true },
  attach: { path: `${POD}/attach?stdin=true`, isUpgrade: true },
  portforward: { path: `${POD}/portforward?ports=80`, isUpgrade: true },
  proxy: { path: `${POD}/proxy?x=y`, isUpgrade: false },
};

/** Resolves when the stream is open; throws when it is refused. */
export async function openStream(url: string, headers: Headers, isUpgrade = false): Promise<ClientStream> {
  const upgrade = isUpgrade ? { connection: 'Upgrade', upgrade: 'SPDY/3.1' } : {};
  const outgoing = httpRequest(url, { method: 'GET', agent: false, headers: { ...headers, ...upgrade } });
  outgoing.end();
  const begun = await Promise.race([
    once(outgoing, 'upgrade') as Promise<[IncomingMessage, Duplex, Buffer]>,
    once(outgoing, 'response') as Promise<[IncomingMessage]>,
  ]);
  const [answer, socket, head] = begun;
  const wanted = isUpgrade ? 101 : 200;
  if (answer.statusCode !== wanted) assert.equal(answer.statusCode, wanted, `${url}: ${await bodyOf(answer)}`);
  return follow(socket ?? answer, String(head ?? ''));
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

function follow(source: IncomingMessage | Duplex, first: string): ClientStream {
  let text = first;
  const closed = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  source.on('data', (chunk: Buffer) => {
    text += String(chunk);
    for (const look of waiting) look();
  });
  source.on('error', () => {});
  for (const end of ['end', 'close']) source.once(end, closed.resolve);
  return {
    received: () => text,
    closed: closed.promise,
    close: () => void source.destroy(),
    until: async (wanted) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => void (text.includes(wanted) && resolve());
      waiting.add(look);
      look();
      await Promise.race([promise, closed.promise]);
      waiting.delete(look);
      assert.ok(text.includes(wanted), `the stream ended before ${wanted}: ${text}`);
    },
  };
}
