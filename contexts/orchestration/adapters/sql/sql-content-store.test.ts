import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Sealer } from '#kit/sealing';
import type { Uuid } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { memoryKeys } from '../../../../kit/sealing/testing/memory-keys.ts';
import type { ContentStore } from '../../application/ports.ts';
import { type Payload, payloadOf } from '../../domain/manifest/payload.ts';
import { ORCHESTRATION_MIGRATIONS } from '../migrations.ts';
import { SqlContentStore } from './sql-content-store.ts';

const signal = new AbortController().signal;
const WEB = '00000000-0000-7000-8000-0000000000d1' as Uuid;
const SHOP = '00000000-0000-7000-8000-0000000000d2' as Uuid;
const [A, B, C] = ['a', 'b', 'c'] as TargetId[] as [TargetId, TargetId, TargetId];

/** Good enough for a test: the secret cannot be seen in it. */
const fingerprint = (secret: string): string =>
  `ref-${[...secret].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7)}`;

function payload(text: string, password?: string): Payload {
  const secret = password === undefined ? [] : [{ kind: 'Login', password: { $secret: password } }];
  return payloadOf([{ kind: 'Note', text }, ...secret], fingerprint);
}

eachDatabase('the store of contents', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  const sealed: string[] = [];
  const keys = new Sealer(memoryKeys());
  const sealer: Pick<Sealer, 'seal' | 'open'> = {
    seal: async (value, place, aborted) => {
      sealed.push(String(place.row[0]));
      return await keys.seal(value, place, aborted);
    },
    open: (text, place, aborted) => keys.open(text, place, aborted),
  };
  before(async () => {
    database = await fresh();
    storage = await database.open([ORCHESTRATION_MIGRATIONS]);
  });
  after(async () => await database.dispose());

  const unit = <T>(body: (store: ContentStore) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(new SqlContentStore(tx, sealer)), signal);
  const found = (hashes: readonly string[], withSecrets: boolean) =>
    unit((store) => store.find(hashes, { withSecrets }, signal));

  it('keeps what many targets get once, and gives it back as it was', async () => {
    const [one, two] = [payload('one'), payload('two')];
    await unit((store) => store.keep([one, two, one], signal));
    await unit((store) => store.keep([one], signal));
    assert.deepEqual(await storage.all(sql`SELECT COUNT(*) AS n FROM contents`, signal), [{ n: 2 }]);
    assert.deepEqual(
      await found([one.hash, two.hash, 'unknown', one.hash], true),
      new Map([
        [one.hash, one],
        [two.hash, two],
      ]),
    );
  });

  it('seals a secret once, whatever holds it, and opens it only when asked', async () => {
    const [one, two] = [payload('with a password', 'hunter2'), payload('with the same', 'hunter2')];
    sealed.length = 0;
    await unit((store) => store.keep([one, two], signal));
    await unit((store) => store.keep([payload('and again', 'hunter2')], signal));
    assert.deepEqual(sealed, Object.keys(one.secrets));
    assert.deepEqual((await found([one.hash], true)).get(one.hash), one);
    assert.deepEqual((await found([one.hash], false)).get(one.hash), { ...one, secrets: {} });
  });

  it('has no secret in the clear anywhere', async () => {
    await unit((store) => store.keep([payload('x', 'correct-horse')], signal));
    await unit((store) => store.keepSecrets({ spec: { pass: 'battery-staple' } }, signal));
    for (const table of ['contents', 'content_secrets', 'content_secret_uses']) {
      const rows = JSON.stringify(await storage.all(sql`SELECT * FROM ${sql.raw(table)}`, signal));
      assert.ok(!/correct-horse|battery-staple/.test(rows), table);
    }
  });

  it('keeps the secrets of a spec, and opens those that are there', async () => {
    await unit((store) => store.keepSecrets({ 'of-spec': { user: 'x', tries: [1, null] } }, signal));
    await unit((store) => store.keepSecrets({}, signal));
    const opened = await unit((store) => store.openSecrets(['of-spec', 'nobody'], signal));
    assert.deepEqual(opened, { 'of-spec': { user: 'x', tries: [1, null] } });
  });

  it('does not open a secret that was copied from another row', async () => {
    await unit((store) => store.keepSecrets({ first: 1, second: 2 }, signal));
    const copy = sql`UPDATE content_secrets SET sealed = (SELECT sealed FROM content_secrets WHERE reference = 'first')
      WHERE reference = 'second'`;
    await storage.commit([copy], signal);
    await assert.rejects(
      unit((store) => store.openSecrets(['second'], signal)),
      { code: 'SEAL_BROKEN' },
    );
  });

  it('tells what each target had with a revision: what it was last given, unless that was taken off', async () => {
    const give = (revision: number, contents: [TargetId, string | undefined][]) =>
      unit((store) => store.assign({ deployment: WEB, revision }, new Map(contents), signal));
    await give(1, [
      [A, 'h1'],
      [B, 'h1'],
    ]);
    await give(3, [
      [A, 'h3'],
      [C, 'h3'],
    ]);
    await give(5, [
      [A, undefined],
      [B, 'h5'],
    ]);
    await give(7, [[A, 'h7']]);
    await unit((store) => store.assign({ deployment: SHOP, revision: 1 }, new Map([[A, 'other']]), signal));
    const at = async (revision: number) =>
      Object.fromEntries(await unit((store) => store.at({ deployment: WEB, revision }, signal)));
    assert.deepEqual(await at(0), {});
    assert.deepEqual(await at(2), { a: 'h1', b: 'h1' });
    assert.deepEqual(await at(4), { a: 'h3', b: 'h1', c: 'h3' });
    assert.deepEqual(await at(5), { b: 'h5', c: 'h3' });
    assert.deepEqual(await at(9), { a: 'h7', b: 'h5', c: 'h3' });
  });

  it('believes the last of two assignments of one revision', async () => {
    const rollout = { deployment: SHOP, revision: 2 };
    await unit((store) => store.assign(rollout, new Map([[A, 'first']]), signal));
    await unit((store) => store.assign(rollout, new Map([[A, 'second']]), signal));
    assert.equal((await unit((store) => store.at(rollout, signal))).get(A), 'second');
  });

  it('tells the secrets of all that targets were given, of revisions before, too', async () => {
    const [first, second, other] = [payload('1', 'one-1234'), payload('2', 'two-1234'), payload('3', 'other-1234')];
    const [d, e] = ['d', 'e'] as TargetId[] as [TargetId, TargetId];
    await unit(async (store) => {
      await store.keep([first, second, other], signal);
      await store.assign({ deployment: WEB, revision: 21 }, new Map([[d, first.hash]]), signal);
      await store.assign({ deployment: WEB, revision: 22 }, new Map([[d, second.hash]]), signal);
      await store.assign({ deployment: SHOP, revision: 21 }, new Map([[e, other.hash]]), signal);
    });
    const on = async (targets: readonly TargetId[]) =>
      await unit((store) => store.referencesOn({ deployments: [WEB, SHOP], targets }, signal));
    const of = (...payloads: Payload[]) => payloads.flatMap(({ secrets }) => Object.keys(secrets)).sort();
    assert.deepEqual(
      await on([d, e]),
      new Map([
        [WEB, of(first, second)],
        [SHOP, of(other)],
      ]),
    );
    assert.deepEqual(await on([e]), new Map([[SHOP, of(other)]]));
    assert.deepEqual(await on(['nobody' as TargetId]), new Map());
  });

  it('takes more at once than one statement carries', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) =>
      payload(`number ${index}`, index < 3 ? `p${index}` : undefined),
    );
    const targets = new Map(many.map(({ hash }, index) => [`t${index}` as TargetId, hash]));
    await unit(async (store) => {
      await store.keep(many, signal);
      await store.assign({ deployment: SHOP, revision: 9 }, targets, signal);
    });
    const kept = await unit((store) => store.at({ deployment: SHOP, revision: 9 }, signal));
    assert.equal([...kept.keys()].filter((id) => id.startsWith('t')).length, 2_500);
    assert.equal(
      (
        await found(
          many.map(({ hash }) => hash),
          true,
        )
      ).size,
      2_500,
    );
  });
});
