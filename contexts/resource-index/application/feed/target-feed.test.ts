import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EffectiveSchema } from '../../domain/index-schema.ts';
import { aKind, anObject, aSchema } from '../../testing/an-index.ts';
import { FeedWorld } from '../../testing/feed-world.ts';
import type { LedgerLimits } from './feed-ledger.ts';

const BOXES = aSchema(aKind('v1/Box'));

function world(t: TestContext, schema: EffectiveSchema = BOXES, limits?: LedgerLimits): FeedWorld {
  const made = new FeedWorld(schema, limits);
  t.after(() => made.close());
  return made;
}

describe('the feed of a target', () => {
  it('sends no object again, and lists nothing, when the connection was cut and both have the same', async (t) => {
    const made = world(t);
    for (let number = 0; number < 50; number += 1) made.source.put(anObject(`n${number}`));
    assert.ok(await made.settles());
    const { puts } = made.store;
    const { lists } = made.source;
    for (let time = 0; time < 3; time += 1) {
      const compared = made.facts.filter(({ kind }) => kind === 'compared').length;
      made.cut();
      assert.ok(await made.until(() => made.facts.filter(({ kind }) => kind === 'compared').length > compared));
    }
    assert.deepEqual([made.store.puts, made.source.lists], [puts, lists]);
  });

  it('keeps the latest of each object while nothing can be sent, and no more of them than it may', async (t) => {
    const limits = { batchObjects: 4, batchBytes: 1_000_000, waitingObjects: 10, waitingBytes: 1_000_000 };
    const made = world(t, BOXES, limits);
    assert.ok(await made.settles());
    made.isOpen = false;
    made.refresh();
    for (let size = 0; size < 100; size += 1) made.source.put(anObject('busy', { size }));
    for (let number = 0; number < 30; number += 1) made.source.put(anObject(`n${number}`));
    for (let count = 0; count < 50; count += 1) await turn();
    const before = made.store.puts;
    made.isOpen = true;
    made.cut();
    assert.ok(await made.settles());
    assert.equal(made.store.puts - before, 31, 'one of each');
    assert.equal(made.store.needless, 0);
  });

  it('deletes nothing while a kind is in trouble, and says so', async (t) => {
    const made = world(t);
    made.source.put(anObject('a'));
    assert.ok(await made.settles());
    made.source.say('v1/Box', { kind: 'listing' });
    made.source.say('v1/Box', { kind: 'state', state: 'Forbidden', message: 'may not' });
    const reported = (): string | undefined => made.store.reports.get('target-1')?.[0]?.state;
    assert.ok(await made.until(() => reported() === 'Forbidden'));
    assert.equal(made.held().length, 1);
  });

  it('lets go of what the schema has no longer, and takes up what is new, and touches nothing else', async (t) => {
    const made = world(t, aSchema(aKind('v1/Box'), aKind('v1/Crate')));
    for (const type of ['v1/Box', 'v1/Crate', 'v1/Shelf']) made.source.put(anObject('a', { type }));
    assert.ok(await made.settles());
    const { puts } = made.store;
    made.schema = aSchema(aKind('v1/Box'), aKind('v1/Shelf'));
    made.refresh();
    assert.ok(await made.settles());
    assert.equal(made.store.puts - puts, 1);
  });
});
