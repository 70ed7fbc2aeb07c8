import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCluster } from '../testing/fake-cluster.ts';
import { parseFieldPattern } from './field-pattern.ts';
import { FIELD_MANAGER, type KubeObject } from './kube-object.ts';
import { diffLines } from './object-diff.ts';

function map(data: object): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data } as KubeObject;
}

function done(cluster: FakeCluster, manager: string, object: KubeObject, force = false): KubeObject {
  const answer = cluster.applyAs(manager, object, { force });
  assert.ok(answer.kind === 'done');
  return answer.object;
}

describe('a difference', () => {
  const lines = (
    live: KubeObject | undefined,
    next: KubeObject | undefined,
    patterns: string[] = [],
    secrets: string[][] = [],
  ) =>
    diffLines({
      live,
      next,
      secrets,
      patterns: patterns.flatMap((text) => {
        const its = parseFieldPattern(text);
        return typeof its === 'string' ? [] : [its];
      }),
    });

  function preview(before: KubeObject, after: KubeObject): [KubeObject, KubeObject] {
    const cluster = new FakeCluster();
    const live = done(cluster, FIELD_MANAGER, before);
    const answer = cluster.applyAs(FIELD_MANAGER, after, { dryRun: true });
    assert.ok(answer.kind === 'done');
    assert.equal(cluster.writes, 1);
    return [live, answer.object];
  }

  it('has a line for each field', () => {
    const [live, next] = preview(map({ a: '1', b: '2', c: 'x' }), map({ a: '1', b: '3', d: 'y'.repeat(100) }));
    assert.deepEqual(lines(live, next), [
      'change v1/ConfigMap/shop/a',
      '  .data.b: "2" -> "3"',
      '  .data.c: "x" -> nothing',
      `  .data.d: nothing -> "${'y'.repeat(79)}…`,
    ]);
    assert.deepEqual(lines(live, next, ['/data/b', '/data/c', '/data/d']), []);
  });

  it('is one line for what is made or goes, and none where nothing changes', () => {
    const [live, next] = preview(map({ a: '1' }), map({ a: '1' }));
    assert.deepEqual(lines(undefined, next), ['create v1/ConfigMap/shop/a']);
    assert.deepEqual(lines(live, undefined), ['delete v1/ConfigMap/shop/a']);
    assert.deepEqual(lines(live, next), []);
    assert.deepEqual(lines(undefined, undefined), []);
  });

  it('leaves out what others have and servers fill in', () => {
    const cluster = new FakeCluster();
    done(cluster, FIELD_MANAGER, map({ a: '1' }));
    const live = done(cluster, 'kubectl', map({ b: '1' }));
    const next = { ...live, data: { a: '1', b: '9' }, status: { x: 1 } };
    assert.deepEqual(lines(live, next), []);
  });

  it('shows nothing of a Secret but that it changes', () => {
    const secret = (password: string) => ({ ...map({ password }), kind: 'Secret', type: password });
    const [live, next] = preview(secret('c2VjcmV0'), secret('b3RoZXI='));
    assert.deepEqual(lines(live, next), [
      'change v1/Secret/shop/a',
      '  .data.password: changed',
      '  .type: "c2VjcmV0" -> "b3RoZXI="',
    ]);
    const [one, two] = preview(
      { ...map({}), kind: 'Secret', stringData: { a: 'x' } } as KubeObject,
      { ...map({}), kind: 'Secret', stringData: { b: 'x' } } as KubeObject,
    );
    assert.deepEqual(lines(one, two).slice(1), [
      '  .stringData.a: (hidden) -> nothing',
      '  .stringData.b: nothing -> (hidden)',
    ]);
  });

  it('shows nothing of what the order says is secret, of any kind', () => {
    const [live, next] = preview(map({ a: 'hunter2', b: 'x' }), map({ a: 'hunter3', b: 'y', c: 'hunter4' }));
    const secrets = [
      ['data', 'a'],
      ['data', 'c'],
    ];
    assert.deepEqual(lines(live, next, [], secrets), [
      'change v1/ConfigMap/shop/a',
      '  .data.a: changed',
      '  .data.b: "x" -> "y"',
      '  .data.c: nothing -> (hidden)',
    ]);
  });

  it('does not repeat what kubectl wrote into an annotation, which may be a Secret whole', () => {
    const its = (text: string) => ({
      ...map({}),
      metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text } },
    });
    assert.deepEqual(lines(...preview(its('1'), its('2'))), []);
  });

  it('has an end', () => {
    const many = (text: string) =>
      map(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, text])));
    const shown = lines(...preview(many('1'), many('2')));
    assert.deepEqual([shown.length, shown.at(-1)], [22, '  and 10 more fields']);
  });
});
