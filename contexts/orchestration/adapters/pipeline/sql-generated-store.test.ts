import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createUuidv7, systemClock } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { GeneratedContent, GeneratedFor, GeneratedStore } from '../../application/ports.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { SqlGeneratedStore } from './sql-generated-store.ts';

const signal = new AbortController().signal;
const newId = createUuidv7(systemClock);
const [A, B] = ['a', 'b'] as TargetId[] as [TargetId, TargetId];
const ONE: GeneratedContent = { inputs: 'sha256:1', invalidation: '', hash: 'sha256:x' };
const TWO: GeneratedContent = { inputs: 'sha256:2', invalidation: 'i', hash: 'sha256:y' };

eachDatabase('the store of generated contents', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());
  const unit = <T>(body: (store: GeneratedStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlGeneratedStore(tx)), signal);

  it('gives back what was put last, per deployment and target', async () => {
    const [web, shop] = [newId(), newId()];
    await unit((store) =>
      store.put(
        web,
        new Map<GeneratedFor, GeneratedContent>([
          [A, ONE],
          ['', TWO],
        ]),
        signal,
      ),
    );
    await unit((store) => store.put(shop, new Map([[A, TWO]]), signal));
    await unit((store) => store.put(web, new Map([[A, TWO]]), signal));
    assert.deepEqual(
      await unit((store) => store.of(web, [A, B, ''], signal)),
      new Map<string, unknown>([
        [A, TWO],
        ['', TWO],
      ]),
    );
    await unit((store) => store.drop(web, signal));
    assert.deepEqual(await unit((store) => store.of(web, [A, ''], signal)), new Map());
    assert.deepEqual(await unit((store) => store.of(shop, [A], signal)), new Map([[A, TWO]]));
  });

  it('remembers an invalidation, of a target for which nothing was generated, too', async () => {
    const web = newId();
    await unit((store) => store.put(web, new Map([[A, ONE]]), signal));
    await unit((store) => store.invalidate(web, [A, B], 'once', signal));
    const gone = { inputs: '', invalidation: 'once', hash: undefined };
    assert.deepEqual(
      await unit((store) => store.of(web, [A, B], signal)),
      new Map([
        [A, gone],
        [B, gone],
      ]),
    );
  });

  it('takes more targets than fit into a statement', async () => {
    const web = newId();
    const targets = Array.from({ length: 2_345 }, (_, index) => `t${index}` as TargetId);
    await unit((store) => store.put(web, new Map(targets.map((target) => [target, ONE])), signal));
    assert.equal((await unit((store) => store.of(web, targets, signal))).size, targets.length);
  });
});
