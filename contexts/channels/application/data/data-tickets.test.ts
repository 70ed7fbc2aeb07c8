import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { createDataTickets } from '../../adapters/data-tickets.ts';
import type { DataTicket } from '../../domain/data-ticket.ts';
import type { CloseFrame, Frame } from '../../domain/frame.ts';
import { FleetWorld, type TestFleetlet } from '../../testing/fleet-world.ts';
import { anOpen } from '../../testing/recorded-link.ts';
import type { LinkConnection } from '../link.ts';

const [CHANNEL, MINUTE_MS] = ['data/backup', 60_000];

type Answer = { readonly kind: 'opened' } | Omit<CloseFrame, 'kind'>;

/** A fleetlet that reads a channel, to which tickets are presented. */
async function stage(t: TestContext) {
  const it = new FleetWorld();
  t.after(() => it.close());
  const far = await it.fleetlet('far');
  (await far.local('reader')).open({ name: CHANNEL, reads: true }, { message: (message) => message.ack() });
  const good = await it.tickets.sign(ticket());
  // Until the reader is connected.
  while ('reason' in (await shown(far, good)));
  far.refusals.length = 0;
  return { it, far };
}

const ticket = (its: Partial<DataTicket> = {}): DataTicket => ({
  channel: CHANNEL,
  source: 'near',
  destination: 'far',
  expires: Date.now() + MINUTE_MS,
  ...its,
});

async function shown(far: TestFleetlet, bytes: Uint8Array, { channel = CHANNEL, caller = 'near' } = {}) {
  const connection = await far.dialledBy(caller);
  return await answerTo(connection, { channel, ticket: bytes });
}

async function answerTo(connection: LinkConnection, open: Parameters<typeof anOpen>[0]): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const link = connection.open({
    frame: (frame: Frame) => frame.kind === 'opened' && resolve({ kind: 'opened' }),
    room: () => {},
    closed: (why) => resolve(why ?? { reason: 'unavailable', message: 'lost', retryAfterMs: 0 }),
  });
  link.send(anOpen(open));
  const answer = await promise;
  await connection.close();
  return answer;
}

suite('a ticket', () => {
  test('lets its owner in, and once more', async (t) => {
    const { it, far } = await stage(t);
    const bytes = await it.tickets.sign(ticket());
    assert.deepEqual(await shown(far, bytes), { kind: 'opened' });
    assert.deepEqual(await shown(far, bytes), { kind: 'opened' });
  });

  for (const { why, its = {}, show = {}, reason, message } of [
    {
      why: 'that has expired is refused',
      its: { expires: Date.now() - 10 * MINUTE_MS },
      reason: 'unauthenticated',
      message: /expired/,
    },
    {
      why: 'of another is refused, whatever the other has',
      show: { caller: 'thief' },
      reason: 'forbidden',
      message: /issued to fleetlet near, but fleetlet thief presents it/,
    },
    {
      why: 'for one channel is of no use for another',
      show: { channel: 'data/other' },
      reason: 'forbidden',
      message: /for the channel data\/backup, not for data\/other/,
    },
    {
      why: 'that leads elsewhere is of no use here',
      its: { destination: 'elsewhere' },
      reason: 'forbidden',
      message: /leads to fleetlet elsewhere/,
    },
    {
      why: 'opens no other channels than those of data',
      its: { channel: 'delivery' },
      show: { channel: 'delivery' },
      reason: 'unknownChannel',
      message: /data channels/,
    },
  ]) {
    test(why, async (t) => {
      const { it, far } = await stage(t);
      const answer = await shown(far, await it.tickets.sign(ticket(its)), show);
      assert.ok('reason' in answer);
      assert.equal(answer.reason, reason);
      assert.match(answer.message, message);
      assert.equal(far.refusals.length, 1);
    });
  }

  for (const { why, forge } of [
    { why: 'of another platform', forge: async () => await createDataTickets(randomBytes(32)).sign(ticket()) },
    { why: 'that nobody signed', forge: async () => unsigned(ticket()) },
    { why: 'that was changed', forge: async (it: FleetWorld) => changed(await it.tickets.sign(ticket())) },
    { why: 'that is none', forge: async () => Buffer.from('let me in') },
    { why: 'that is missing', forge: async () => new Uint8Array(0) },
  ]) {
    test(`${why} is refused, by a fleetlet and by the platform`, async (t) => {
      const { it, far } = await stage(t);
      const forged = await forge(it);
      const answer = await shown(far, forged);
      assert.ok('reason' in answer);
      assert.equal(answer.reason, 'unauthenticated');
      if (forged.length === 0) return;
      const relayed = await it.shownToPlatform('near', anOpen({ channel: CHANNEL, ticket: forged }));
      assert.equal(relayed, 'unauthenticated');
    });
  }

  test('of another is refused by the platform, too', async (t) => {
    const { it } = await stage(t);
    const bytes = await it.tickets.sign(ticket());
    const open = anOpen({ channel: CHANNEL, ticket: bytes });
    assert.equal(await it.shownToPlatform('thief', open), 'forbidden');
    assert.equal(await it.shownToPlatform('near', { ...open, channel: 'data/other' }), 'forbidden');
  });

  test('whose reader is not connected says so', async (t) => {
    const { it } = await stage(t);
    const bytes = await it.tickets.sign(ticket({ destination: 'away' }));
    assert.equal(await it.shownToPlatform('near', anOpen({ channel: CHANNEL, ticket: bytes })), 'unavailable');
  });
});

function unsigned({ channel, source, destination, expires }: DataTicket): Uint8Array {
  const claims = { channel, sub: source, aud: destination, exp: expires / 1_000 };
  const [header, body] = [{ alg: 'none', typ: 'fleetshift-ticket' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return Buffer.from(`${header}.${body}.`);
}

function changed(bytes: Uint8Array): Uint8Array {
  const [header, body = '', signature] = Buffer.from(bytes).toString().split('.');
  const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), channel: 'data/other' };
  return Buffer.from([header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.'));
}
