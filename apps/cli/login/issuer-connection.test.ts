import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownCertificate } from '../../platform/tls/own-certificate.ts';
import { connectIssuer } from './issuer-connection.ts';

const signal = new AbortController().signal;
const place = (url: string) => ({ issuer: 'corp', url, clientId: 'cli', ca: undefined });

test('of an issuer that nobody runs it says so, and nothing of platforms', async () => {
  await assert.rejects(connectIssuer(place('http://127.0.0.1:1'), signal), {
    code: 'SERVER_UNREACHABLE',
    message:
      'the issuer corp at http://127.0.0.1:1: connection refused; ask its operators, or log in with a token: fleetshift login --token-file FILE',
  });
});

test('of an issuer of an unknown authority it says where that is set, which is no flag', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-issuer-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { chain: cert, key } = ownCertificate({ folder, names: ['127.0.0.1'] }).current(Date.now());
  const server = createServer({ cert, key: key.reveal() }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await assert.rejects(
    connectIssuer(place(`https://127.0.0.1:${port}`), signal),
    ({ code, message }: { code?: string; message: string }) => {
      assert.equal(code, 'SERVER_NOT_TRUSTED');
      assert.match(
        message,
        /^the issuer corp at .*administrators of the platform to add that authority as the ca of the issuer/,
      );
      return true;
    },
  );
});
