import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { issuePeerCertificate } from '#kit/pki';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { FleetletError } from '../fleetlet-error.ts';
import type { Identity } from './identity-store.ts';
import { Renewal, renewAt } from './renewal.ts';

const DAY_MS = 86_400_000;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function issued(from: number): Identity {
  const [notBefore, notAfter] = [new Date(from), new Date(from + DAY_MS)];
  const order = { name: 'f', uri: 'fleetshift://fleetlet/f', dnsName: 'f.example', publicKey, notBefore, notAfter };
  const pem = issuePeerCertificate({ name: 'test', key: privateKey }, order);
  return { key: privateKey, certificate: new X509Certificate(pem), pem, platform: { fleetlet: 'f', endpoints: {} } };
}

function stage(t: TestContext) {
  const clock = new FakeClock();
  let current = issued(clock.now());
  const world = { fault: undefined as Error | undefined, asked: [] as number[] };
  const start = clock.now();
  const { log, lines } = memoryLogger();
  const renewal = new Renewal({
    current: () => current,
    renew: async () => {
      world.asked.push(clock.now() - start);
      if (world.fault !== undefined) throw world.fault;
      current = issued(clock.now());
      return current;
    },
    clock,
    sleep: clock.sleep,
    random: () => 0.5,
    log,
  });
  const over = new AbortController();
  const running = renewal.run(over.signal);
  t.after(async () => {
    over.abort();
    await running;
  });
  return { clock, renewal, world, lines };
}

suite('a certificate', () => {
  test('is renewed when two thirds of its life are over, and so is the next', async (t) => {
    const { clock, world } = stage(t);
    await clock.advance(0.65 * DAY_MS);
    assert.deepEqual(world.asked, []);
    await clock.advance(0.02 * DAY_MS);
    assert.equal(world.asked.length, 1);
    await clock.advance(0.67 * DAY_MS);
    assert.equal(world.asked.length, 2);
  });

  test('is renewed at once when the platform asks for it', async (t) => {
    const { clock, renewal, world } = stage(t);
    await clock.untilSleeping();
    renewal.soon();
    await clock.advance(1_000);
    assert.equal(world.asked.length, 1);
    await clock.advance(60_000);
    assert.equal(world.asked.length, 1, 'and then not for a while');
  });

  test('is tried again while the platform is away, beyond its end', async (t) => {
    const { clock, world } = stage(t);
    world.fault = new FleetletError('PLATFORM_UNREACHABLE', 'away');
    await clock.advance(2 * DAY_MS);
    assert.ok(world.asked.length > 10);
    world.fault = undefined;
    const before = world.asked.length;
    await clock.advance(700_000);
    assert.equal(world.asked.length, before + 1);
  });

  test('that is refused is an error in the log, and tried again slowly', async (t) => {
    const { clock, world, lines } = stage(t);
    world.fault = new FleetletError('ENROLMENT_REFUSED', 'This fleetlet was revoked.');
    await clock.advance(0.67 * DAY_MS + 2_000_000);
    assert.ok(world.asked.length >= 2 && world.asked.length <= 6, `${world.asked.length}`);
    assert.ok(lines.some(({ level }) => level === 'error'));
  });

  test('of many are not renewed at the same moment', () => {
    const identity = issued(0);
    const moments = [0, 0.25, 0.5, 0.75, 1].map((spread) => renewAt(identity, spread) / DAY_MS);
    assert.equal(new Set(moments).size, 5);
    assert.ok(moments.every((moment) => moment >= 0.6 && moment <= 0.72));
  });
});
