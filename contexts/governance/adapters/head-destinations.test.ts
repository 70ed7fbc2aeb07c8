import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { parseIpNetwork } from '#kit/std';
import { createDialGuard } from '#kit/transport/dial';
import { toHeadFile, toHeadReceiver } from './head-destinations.ts';

const signal = new AbortController().signal;
const head = (position: number) => ({
  position,
  hash: `sha256:${position}`,
  mac: 'm',
  time: '2030-01-01T00:00:00.000Z',
});

describe('a file of heads', () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'fleetshift-heads-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('has a line for each, in the order in which they came, for its owner alone', async () => {
    const file = join(folder, 'heads');
    for (const position of [1, 2, 3]) await toHeadFile(file)(head(position), signal);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as object),
      [head(1), head(2), head(3)],
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('that cannot be written is an error', async () => {
    await assert.rejects(toHeadFile(join(folder, 'nowhere', 'heads'))(head(1), signal), { code: 'ENOENT' });
  });
});

describe('a receiver of heads', () => {
  let server: Server;
  let received: string[];
  let answer: { status: number; headers?: Record<string, string> };
  before(async () => {
    const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      received.push(`${request.method} ${request.url} ${request.headers['content-type']} ${await text(request)}`);
      // The rest of the body never comes: no one waits for it.
      response.writeHead(answer.status, { 'content-length': '1000', ...answer.headers }).flushHeaders();
    };
    server = createServer((request, response) => {
      receive(request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    received = [];
    answer = { status: 200 };
  });
  const port = () => (server.address() as AddressInfo).port;
  const url = (host = '127.0.0.1') => `http://${host}:${port()}/heads?of=fleet`;
  const guard = (own: readonly { host: string; port: number }[] = [], allow = ['127.0.0.0/8']) =>
    createDialGuard({
      allow: allow.flatMap((network) => parseIpNetwork(network) ?? []),
      own: () => own,
      setting: '',
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });

  it('gets it as JSON', async () => {
    await toHeadReceiver(url(), guard())(head(7), signal);
    assert.deepEqual(received, [`POST /heads?of=fleet application/json ${JSON.stringify(head(7))}`]);
  });

  for (const status of [302, 307, 404, 500, 503]) {
    it(`has not got it when it answers ${status}, and leads nowhere else`, async () => {
      answer = { status, headers: { location: '/elsewhere' } };
      await assert.rejects(toHeadReceiver(url(), guard())(head(7), signal), /answered/);
      assert.equal(received.length, 1);
    });
  }

  it('is dialled by a name where the guard found it, and nowhere else', async () => {
    await toHeadReceiver(url('heads.test'), guard())(head(7), signal);
    assert.equal(received.length, 1);
    await assert.rejects(toHeadReceiver(url('heads.test'), guard([], []))(head(7), signal), {
      code: 'ADDRESS_REFUSED',
    });
    assert.equal(received.length, 1);
  });

  it('is never the platform itself', async () => {
    const own = [{ host: '127.0.0.1', port: port() }];
    await assert.rejects(toHeadReceiver(url(), guard(own))(head(7), signal), { code: 'ADDRESS_REFUSED' });
    assert.deepEqual(received, []);
  });

  it('is not waited for by a platform that stops', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    await assert.rejects(toHeadReceiver(url(), guard())(head(7), stop));
    assert.deepEqual(received, []);
  });
});
