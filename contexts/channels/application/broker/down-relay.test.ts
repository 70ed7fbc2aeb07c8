import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Inbound, Outbound, Settled } from '../channel.ts';
import { DownRelay } from './down-relay.ts';
import type { LocalEnd } from './local-session.ts';

/** A local process that takes messages and acknowledges them when the test says so. */
class FakeEnd {
  readonly order: number;
  readonly taken: Outbound[] = [];
  isFull = false;
  #room = Promise.withResolvers<void>();

  constructor(order: number) {
    this.order = order;
  }

  get texts(): string[] {
    return this.taken.map(({ payload }) => Buffer.from(payload).toString());
  }

  trySend(message: Outbound): boolean {
    if (this.isFull) return false;
    this.taken.push(message);
    return true;
  }

  async room(): Promise<void> {
    await this.#room.promise;
  }

  settle(text: string, how: Settled): void {
    this.taken.find(({ payload }) => Buffer.from(payload).toString() === text)?.settled?.(how);
  }

  makeRoom(): void {
    this.isFull = false;
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }
}

function aRelay(...ends: readonly FakeEnd[]) {
  const there = [...ends];
  const acked: string[] = [];
  const clock = { now: 1_000 };
  const candidates = (): readonly LocalEnd[] => there as unknown as readonly LocalEnd[];
  const relay = new DownRelay({ candidates, now: () => clock.now, signal: new AbortController().signal });
  const take = (text: string, its: Partial<Inbound> = {}): void =>
    relay.take({
      payload: Buffer.from(text),
      target: 'edge-1',
      process: '',
      key: 'k',
      deadline: 0,
      redelivered: false,
      dropped: 0,
      ack: () => void acked.push(text),
      ...its,
    });
  return { relay, there, acked, clock, take };
}

describe('the relay to local processes', () => {
  it('acknowledges a message once a process has, and not before', () => {
    const end = new FakeEnd(1);
    const { acked, take, relay } = aRelay(end);
    take('one');
    assert.deepEqual([end.texts, acked, relay.held], [['one'], [], 1]);
    end.settle('one', 'acknowledged');
    assert.deepEqual([acked, relay.held, relay.counts.handedOn], [['one'], 0, 1]);
  });

  it('keeps a message that no process reads, until one comes', () => {
    const { relay, there, acked, take } = aRelay();
    take('one');
    const end = new FakeEnd(1);
    there.push(end);
    assert.deepEqual([relay.held, acked], [1, []]);
    relay.pump();
    assert.deepEqual(end.texts, ['one']);
  });

  it('hands all messages of a key to the process that has one, though another has its turn', () => {
    const [first, second] = [new FakeEnd(1), new FakeEnd(2)];
    const { take } = aRelay(first, second);
    for (const text of ['one', 'two', 'three']) take(text);
    assert.deepEqual([first.texts, second.texts], [['one', 'two', 'three'], []]);
    for (const text of first.texts) first.settle(text, 'acknowledged');
    take('four');
    assert.deepEqual(second.texts, ['four'], 'with nothing under way the next one has its turn');
  });

  it('lets processes take turns at messages without key and recipient', () => {
    const [first, second] = [new FakeEnd(1), new FakeEnd(2)];
    const { take } = aRelay(first, second);
    for (const text of ['one', 'two', 'three']) take(text, { key: '', target: '' });
    assert.deepEqual([first.texts, second.texts], [['one', 'three'], ['two']]);
  });

  it('hands on again, marked and in order, what a process left without acknowledging', () => {
    const [first, second] = [new FakeEnd(1), new FakeEnd(2)];
    const { relay, there, acked, take } = aRelay(first);
    for (const text of ['one', 'two']) take(text);
    there.splice(0, 1);
    // Their streams end in any order.
    first.settle('two', 'closed');
    first.settle('one', 'closed');
    take('three');
    there.push(second);
    relay.pump();
    assert.deepEqual(second.texts, ['one', 'two', 'three']);
    assert.deepEqual(
      second.taken.map(({ redelivered }) => redelivered),
      [true, true, false],
    );
    assert.deepEqual([acked, relay.counts.handedOnAgain], [[], 2]);
  });

  it('waits for room in a process that is full, and loses nothing', async () => {
    const end = new FakeEnd(1);
    const { relay, take } = aRelay(end);
    end.isFull = true;
    for (const text of ['one', 'two']) take(text);
    assert.deepEqual([end.texts, relay.held, relay.counts.handedOn], [[], 2, 0]);
    end.makeRoom();
    await turn();
    assert.deepEqual([end.texts, relay.held], [['one', 'two'], 2]);
  });

  it('drops waiting messages at their deadline, and tells the platform that they are settled', () => {
    const { relay, acked, clock, take } = aRelay();
    take('late', { deadline: 1_500 });
    take('later', { deadline: 1_501 });
    take('patient', { deadline: 0 });
    clock.now = 1_499;
    relay.expire();
    assert.deepEqual([acked, relay.counts.expired], [[], 0]);
    clock.now = 1_500;
    relay.expire();
    assert.deepEqual([acked, relay.counts.expired, relay.held], [['late'], 1, 2]);
  });

  it('leaves a message to the process that has it, whatever its deadline', () => {
    const end = new FakeEnd(1);
    const { relay, acked, clock, take } = aRelay(end);
    take('one', { deadline: 1_500 });
    clock.now = 9_000;
    relay.expire();
    assert.deepEqual([acked, relay.held], [[], 1]);
  });

  it('drops what waits for a target that is no longer served, and nothing of others', () => {
    const { relay, acked, take } = aRelay();
    take('its');
    take('of another', { target: 'edge-2' });
    relay.dropTarget('edge-1');
    assert.deepEqual([acked, relay.counts.undeliverable, relay.held], [['its'], 1, 1]);
  });
});
