import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sleep, systemClock } from '#kit/std';
import { ResourceIndexError } from '../../domain/resource-index-error.ts';
import { anIndexed, aSchema } from '../../testing/an-index.ts';
import { MemoryIndexStore } from '../../testing/memory-index-store.ts';
import { IndexIntake } from './index-intake.ts';
import type { IndexAgents, TargetDelta } from './ports.ts';

class TroubledStore extends MemoryIndexStore {
  refuse: (deltas: readonly TargetDelta[]) => Error | undefined = () => undefined;
  transactions = 0;

  override async apply(deltas: readonly TargetDelta[], now: number, signal: AbortSignal) {
    const error = this.refuse(deltas);
    if (error !== undefined) throw error;
    this.transactions += 1;
    return await super.apply(deltas, now, signal);
  }
}

function stage(t: TestContext, send: IndexAgents['send'] = async () => {}) {
  const store = new TroubledStore(['one', 'two']);
  const [troubles, lost]: [unknown[], string[]] = [[], []];
  const observer = {
    applied: () => {},
    trouble: (error: unknown) => troubles.push(error),
    lost: (target: string) => lost.push(target),
  };
  const intake = new IndexIntake({
    store,
    agents: { send },
    schemaOf: async (target) => (store.targets.has(target) ? aSchema() : undefined),
    observer,
    clock: systemClock,
    sleep: (_ms, signal) => sleep(1, signal),
  });
  const over = new AbortController();
  const running = intake.run(over.signal);
  t.after(async () => {
    over.abort();
    await running;
  });
  const put = async (target: string, name: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const message = { kind: 'delta', put: [anIndexed(name)], deleted: [], droppedTypes: [] } as const;
    intake.take({ target, message, bytes: 10, taken: resolve });
    await promise;
  };
  const hello = async (target: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    intake.take({ target, message: { kind: 'hello', exchange: 1 }, bytes: 10, taken: resolve });
    await promise;
  };
  return { store, put, hello, troubles, lost };
}

describe('what agents say of their targets', () => {
  it('is kept in few transactions, whosever it is', async (t) => {
    const { store, put } = stage(t);
    await Promise.all(Array.from({ length: 60 }, (_, index) => put(index % 2 === 0 ? 'one' : 'two', `n${index}`)));
    assert.deepEqual([store.puts, store.transactions < 5], [60, true]);
  });

  it('is acknowledged once it is kept, however often that takes', async (t) => {
    const { store, put, troubles } = stage(t);
    const away = new ResourceIndexError('TOO_MANY_INDEX_SCHEMAS', 'stands for a database that is away');
    store.refuse = () => away;
    let isTaken = false;
    const putting = put('one', 'a').then(() => {
      isTaken = true;
    });
    while (troubles.length < 3) await turn();
    assert.equal(isTaken, false);
    store.refuse = () => undefined;
    await putting;
    assert.equal(store.puts, 1);
  });

  it('of one that cannot be kept is passed over, and harms no other', async (t) => {
    const { store, put, lost } = stage(t);
    store.refuse = (deltas) => (deltas.some(({ target }) => target === 'two') ? new TypeError('no') : undefined);
    await Promise.all([put('one', 'a'), put('two', 'b'), put('one', 'c')]);
    assert.deepEqual([store.targets.get('one')?.size, store.targets.get('two')?.size, lost], [2, 0, ['two']]);
  });

  it('is answered by what was kept before the question, and a slow one holds up nobody', async (t) => {
    const never = Promise.withResolvers<void>();
    const sums: number[] = [];
    const { put, hello } = stage(t, async (target, message, signal) => {
      if (message.kind === 'state') sums.push(message.digests.length);
      if (target !== 'two') return;
      signal.addEventListener('abort', () => never.resolve(), { once: true });
      await never.promise;
    });
    await Promise.all([put('one', 'a'), hello('one'), hello('two'), put('two', 'b')]);
    assert.deepEqual(sums, [1, 0]);
  });

  it('has no answer for a target that is not there', async (t) => {
    const { hello, lost } = stage(t, () => assert.fail('nobody is there'));
    await hello('nobody');
    assert.deepEqual(lost, []);
  });
});
