import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { issuePeerCertificate } from '#kit/pki';
import { sleep, systemClock } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { ScriptedPlatform, TOKEN } from '../testing/scripted-platform.ts';
import { type EnrolmentDeps, enrolled, type IdentityKeeper, renewed } from './enrolment.ts';
import { type Identity, IdentityStore, type KeyPair } from './identity-store.ts';

interface Stage {
  readonly platform: ScriptedPlatform;
  readonly store: IdentityStore;
  readonly own: Identity;
  readonly renew: (keeper?: IdentityKeeper) => Promise<Identity>;
  /** Adds an address that is asked before the platform's. */
  readonly askFirst: (url: string) => void;
}

async function stage(t: TestContext): Promise<Stage> {
  const platform = new ScriptedPlatform();
  await platform.start();
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-renewed-'));
  t.after(async () => {
    await platform.close();
    rmSync(folder, { recursive: true });
  });
  const store = new IdentityStore(folder);
  const urls = [platform.apiUrl];
  const tls = { credentials: () => ({ trust: { only: [platform.authority] } }) };
  const apis = () =>
    urls.map((url) => {
      const base = new URL(url);
      return { base, way: { to: { host: base.hostname, port: Number(base.port) }, tls } };
    });
  const deps: EnrolmentDeps = { store, apis, clock: systemClock, sleep, log: memoryLogger().log };
  const token = join(folder, 'token');
  writeFileSync(token, TOKEN);
  const config = { bootstrapToken: undefined, bootstrapTokenFile: token, target: [] };
  const own = await enrolled(deps, config, t.signal);
  const renew = (keeper?: IdentityKeeper): Promise<Identity> => renewed({ ...deps, keeper }, own, t.signal);
  return { platform, store, own, renew, askFirst: (url) => void urls.unshift(url) };
}

function pairOf(own: Identity): KeyPair {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const order = { name: 'f', uri: 'fleetshift://fleetlet/f', dnsName: 'f.example', publicKey: createPublicKey(key) };
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 60_000)];
  return {
    key,
    pem: issuePeerCertificate({ name: 'test', key }, { ...order, notBefore, notAfter }),
    platform: own.platform,
  };
}

suite('a renewal', () => {
  test('has a key of its own each time', async (t) => {
    const { store, own, renew } = await stage(t);
    const first = await renew();
    assert.ok(!first.key.equals(own.key));
    assert.equal(store.identity, first);
    assert.equal(new IdentityStore(store.folder).identity?.pem, first.pem);
    assert.ok(!(await renew()).key.equals(first.key));
  });

  test('whose answer does not come leaves the pair that is there, here and for the next process', async (t) => {
    const { platform, store, own, renew } = await stage(t);
    platform.refusal = { status: 503, body: {} };
    await assert.rejects(renew(), { code: 'PLATFORM_UNREACHABLE' });
    assert.equal(store.identity, own);
    assert.equal(new IdentityStore(store.folder).identity?.pem, own.pem);
    platform.refusal = undefined;
    assert.notEqual((await renew()).pem, own.pem);
  });

  test('asks the other replicas where the one of the enrolment does not answer, and takes a refusal for an answer', async (t) => {
    const { platform, own, renew, askFirst } = await stage(t);
    askFirst('https://localhost:1');
    const first = await renew();
    assert.notEqual(first.pem, own.pem);
    platform.refusal = { status: 403, body: { detail: 'Revoked.' } };
    askFirst(platform.apiUrl);
    const before = platform.enrolments.length;
    await assert.rejects(renew(), { code: 'ENROLMENT_REFUSED' });
    assert.equal(platform.enrolments.length, before + 1, 'no other replica is asked');
    platform.refusal = { status: 503, body: {} };
    await assert.rejects(renew(), { code: 'PLATFORM_UNREACHABLE' });
    assert.equal(platform.enrolments.length, before + 3, 'all were asked');
  });

  test('is kept before it counts, and does not count where that fails', async (t) => {
    const { store, own, renew } = await stage(t);
    const keeper: IdentityKeeper = {
      newerThan: async () => undefined,
      keep: async () => {
        assert.equal(store.identity, own, 'it is not used yet');
        assert.equal(new IdentityStore(store.folder).identity?.pem, own.pem, 'nor by the next process');
        throw new Error('no cluster');
      },
    };
    await assert.rejects(renew(keeper), /no cluster/);
    assert.equal(store.identity, own);
    const kept: string[] = [];
    const renewal = await renew({ ...keeper, keep: async (pair) => (kept.push(pair.pem), pair) });
    assert.deepEqual([store.identity?.pem, kept], [renewal.pem, [renewal.pem]]);
  });

  test('of another process is taken over, without asking the platform', async (t) => {
    const { platform, store, own, renew } = await stage(t);
    const theirs = pairOf(own);
    const keep = async (pair: KeyPair): Promise<KeyPair> => pair;
    await renew({ newerThan: async () => theirs, keep });
    assert.deepEqual([store.identity?.pem, platform.enrolments.length], [theirs.pem, 1]);
    assert.ok(new IdentityStore(store.folder).key.equals(theirs.key));
  });

  test('that came second counts for nothing: both processes have the one that is kept', async (t) => {
    const { store, own, renew } = await stage(t);
    const theirs = pairOf(own);
    await renew({ newerThan: async () => undefined, keep: async () => theirs });
    assert.equal(store.identity?.pem, theirs.pem);
    assert.ok(new IdentityStore(store.folder).key.equals(theirs.key));
  });
});
