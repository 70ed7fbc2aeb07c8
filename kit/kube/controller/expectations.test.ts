import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { type ConfigMap, configMap } from '../cache/testing/memory-kube.ts';
import { KubeError, type KubeErrorCode } from '../kube-error.ts';
import { Expectations } from './expectations.ts';

const key = { namespace: 'here', name: 'owner' };
const other = { namespace: 'here', name: 'other' };

function made(uid: string, deletionTimestamp?: string): ConfigMap {
  const object = configMap('x');
  return { ...object, metadata: { ...object.metadata, uid, ...(deletionTimestamp && { deletionTimestamp }) } };
}

const unnamed: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } };
const shows = (uid: string) => ({ old: undefined, now: made(uid) });

function setUp() {
  const clock = new FakeClock();
  const expectations = new Expectations({ clock, timeoutMs: 1_000 });
  return {
    clock,
    expectations,
    waits: () => expectations.waitMs(key) > 0,
    create: (answer: Promise<ConfigMap>) => expectations.create(key, unnamed, () => answer),
    refused: (code: KubeErrorCode, object = unnamed) =>
      assert.rejects(
        expectations.create(key, object, () => Promise.reject(new KubeError(code, 'x'))),
        { code },
      ),
  };
}

test('a key waits until the cache shows what was made for it, and no other key does', async () => {
  const { expectations, waits, create } = setUp();
  assert.ok(!waits());
  await create(Promise.resolve(made('1')));
  await create(Promise.resolve(made('2')));
  assert.ok(waits());
  assert.equal(expectations.waitMs(other), 0);
  expectations.observe(key, shows('2'));
  assert.ok(waits());
  expectations.observe(key, { old: made('1'), now: made('1') });
  assert.ok(waits(), 'a change of what was there before is no news of it');
  expectations.observe(key, shows('1'));
  assert.ok(!waits());
});

test('the watch may be faster than the answer', async () => {
  const { expectations, waits, create } = setUp();
  const answer = Promise.withResolvers<ConfigMap>();
  const created = create(answer.promise);
  assert.ok(waits());
  expectations.observe(key, shows('1'));
  assert.ok(waits(), 'it is open whose it is');
  answer.resolve(made('1'));
  await created;
  assert.ok(!waits());
});

for (const { why, code, named, waitsAfter } of [
  { why: 'a refusal made nothing', code: 'INVALID', named: false, waitsAfter: false },
  { why: 'a conflict made nothing', code: 'ALREADY_EXISTS', named: false, waitsAfter: false },
  { why: 'nobody was there', code: 'CONNECTION_REFUSED', named: false, waitsAfter: false },
  { why: 'a lost answer may have made one', code: 'OUTCOME_UNKNOWN', named: false, waitsAfter: true },
  { why: 'a server that broke down may have made one', code: 'SERVER_ERROR', named: false, waitsAfter: true },
  { why: 'one with a name cannot be made twice', code: 'OUTCOME_UNKNOWN', named: true, waitsAfter: false },
] as const) {
  test(why, async () => {
    const { expectations, waits, refused } = setUp();
    await refused(code, named ? configMap('x') : unnamed);
    assert.equal(waits(), waitsAfter);
    expectations.observe(key, shows('any'));
    assert.ok(!waits(), 'the one that appears is taken for it');
  });
}

test('an answer that is lost after the cache has shown the object', async () => {
  const { expectations, waits, create } = setUp();
  const answer = Promise.withResolvers<ConfigMap>();
  const created = create(answer.promise);
  expectations.observe(key, shows('1'));
  answer.reject(new KubeError('OUTCOME_UNKNOWN', 'x'));
  await assert.rejects(created);
  assert.ok(!waits());
});

test('of two, one lost and one made, each needs an object of its own', async () => {
  const { expectations, waits, create, refused } = setUp();
  await refused('OUTCOME_UNKNOWN');
  await create(Promise.resolve(made('1')));
  expectations.observe(key, shows('1'));
  assert.ok(waits());
  expectations.observe(key, shows('2'));
  assert.ok(!waits());
});

test('a deletion is waited for until the object is gone or going', async () => {
  const { expectations, waits } = setUp();
  const gone = (uid: string): Promise<undefined> =>
    expectations.delete(key, made(uid), () => Promise.resolve(undefined));
  await gone('1');
  await gone('2');
  expectations.observe(key, { old: made('1'), now: undefined });
  assert.ok(waits());
  expectations.observe(key, { old: made('2'), now: made('2', '2030-01-01T00:00:00Z') });
  assert.ok(!waits());
  const fail = (code: KubeErrorCode) =>
    assert.rejects(expectations.delete(key, made('3'), () => Promise.reject(new KubeError(code, 'x'))));
  await fail('FORBIDDEN');
  assert.ok(!waits());
  await fail('NOT_FOUND');
  assert.ok(waits(), 'it is gone, and the cache is yet to show it');
});

test('nothing is waited for longer than the timeout, or for one that is gone', async () => {
  const { clock, expectations, waits, create } = setUp();
  await create(Promise.resolve(made('1')));
  await clock.advance(400);
  assert.equal(expectations.waitMs(key), 600);
  await clock.advance(600);
  assert.ok(!waits());
  await create(Promise.resolve(made('2')));
  expectations.forget(key);
  assert.ok(!waits());
});
