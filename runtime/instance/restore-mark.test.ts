import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import { markRestored, restoredAt } from './restore-mark.ts';
import { SCHEMA_MODULES } from './schema.ts';

const signal = new AbortController().signal;

eachDatabase('the mark of a restore', (fresh) => {
  it('is not there before, says when as a number, and is that of the last one', async (t) => {
    const database = await fresh();
    t.after(() => database.dispose());
    const storage = await database.open(SCHEMA_MODULES);
    assert.equal(await restoredAt(storage, signal), undefined);
    await markRestored(storage, Date.UTC(2030, 0, 1), signal);
    assert.equal(await restoredAt(storage, signal), Date.UTC(2030, 0, 1));
    await markRestored(storage, Date.UTC(2030, 0, 2), signal);
    assert.equal(await restoredAt(storage, signal), Date.UTC(2030, 0, 2));
  });
});
