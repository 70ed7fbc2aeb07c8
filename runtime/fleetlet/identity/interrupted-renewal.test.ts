// own process: it replaces a function of node:fs, as a machine that loses its power does.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fs, { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { issuePeerCertificate } from '#kit/pki';
import { IdentityStore, type KeyPair } from './identity-store.ts';

const authority = { name: 'test', key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
const platform = { fleetlet: 'f', endpoints: {} };

function pairFor(key: KeyObject): KeyPair {
  const [notBefore, notAfter] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)];
  const order = { name: 'f', uri: 'fleetshift://fleetlet/f', dnsName: 'f.example', notBefore, notAfter };
  return { key, pem: issuePeerCertificate(authority, { ...order, publicKey: createPublicKey(key) }), platform };
}

function renew(store: IdentityStore): void {
  store.save(pairFor(store.nextKey()));
}

/** The certificate that the next process finds. Checked in a copy, because a start repairs what it finds. */
function found(folder: string): string {
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  const { identity } = new IdentityStore(copy);
  rmSync(copy, { recursive: true });
  assert.ok(identity !== undefined);
  assert.ok(identity.certificate.checkPrivateKey(identity.key), 'key and certificate belong together');
  return identity.pem;
}

/**
 * Simulates a power loss at the nth rename of the body, which happens or does not. Every step of a renewal is committed
 * by a rename.
 */
function cutAt(t: TestContext, nth: number, happens: boolean, body: () => void): boolean {
  const rename = fs.renameSync;
  let count = 0;
  const { mock } = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    count += 1;
    if (count < nth || happens) rename(from, to);
    if (count >= nth) throw new Error('no power');
  });
  syncBuiltinESMExports();
  try {
    body();
    return false;
  } catch (error) {
    assert.match(String(error), /no power/);
    return true;
  } finally {
    mock.restore();
    syncBuiltinESMExports();
  }
}

for (const happens of [true, false]) {
  test(`a renewal that is cut off ${happens ? 'after' : 'before'} any of its steps leaves a pair that works`, (t) => {
    const root = mkdtempSync(join(tmpdir(), 'fleetshift-renewal-'));
    t.after(() => rmSync(root, { recursive: true }));
    let steps = 0;
    for (let isCut = true; isCut; steps += 1) {
      const folder = join(root, String(steps));
      const store = new IdentityStore(folder);
      store.save(pairFor(store.key));
      const before = found(folder);
      let next = '';
      isCut = cutAt(t, steps + 1, happens, () => {
        const pair = pairFor(store.nextKey());
        next = pair.pem;
        store.save(pair);
      });
      assert.ok([before, next].includes(found(folder)), `step ${steps}`);
      // If the process survived, its next renewal must work as well.
      renew(store);
      assert.equal(found(folder), store.identity?.pem, `renewed after step ${steps}`);
      renew(new IdentityStore(folder));
      found(folder);
    }
    assert.equal(steps, 5, 'the next key, the facts, the certificate, the key; and then it is whole');
  });
}

test('a process that lived on through a cut renews from what it has, whichever step was cut', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'fleetshift-renewal-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (let nth = 1; nth <= 4; nth += 1) {
    const folder = join(root, String(nth));
    const store = new IdentityStore(folder);
    store.save(pairFor(store.key));
    cutAt(t, nth, true, () => renew(store));
    for (const happens of [true, false]) {
      for (let again = 1; again <= 4; again += 1) {
        cutAt(t, again, happens, () => renew(store));
        found(folder);
      }
    }
  }
});
