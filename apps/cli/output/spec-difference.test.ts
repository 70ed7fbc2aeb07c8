import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from './paint.ts';
import { countsText, renderTargetDiff, specDifference } from './spec-difference.ts';

const change = (named: string, document: string, kind: 'added' | 'removed' | 'changed') => ({
  path: named.replace(/\[[^\]]*\]/, '/7'),
  named,
  document,
  kind,
});

test('the changes of a spec by document, with paths within it', () => {
  const { fields, documents } = specDifference([
    { path: '/rollout/batchSize', kind: 'changed' },
    change('/manifest/documents[Service/a]', 'Service/a', 'added'),
    change('/manifest/documents[Service/b]/spec/x', 'Service/b', 'removed'),
    change('/manifest/documents[Service/b]/spec/ports[80/TCP]', 'Service/b', 'added'),
    change('/manifest/deployments/0/spec/manifest/documents[Service/b]', 'Service/b', 'removed'),
  ]);
  assert.deepEqual(
    fields.map(({ path }) => path),
    ['/rollout/batchSize'],
  );
  assert.deepEqual(
    documents.map(({ document, kind, fields: its }) => [document, kind, ...its.map(({ named }) => named)]),
    [
      ['Service/a', 'added', ''],
      ['Service/b', 'changed', '/spec/x', '/spec/ports[80/TCP]'],
      ['Service/b in /manifest/deployments/0/spec/manifest/documents', 'removed', ''],
    ],
  );
  assert.equal(countsText(documents), '1 added, 1 removed, 1 changed');
});

test('several objects of a target are counted first; none is another order', () => {
  const field = { path: '/data/a', kind: 'changed', before: 1, after: 2 } as const;
  const one = { document: 'ConfigMap/x', kind: 'changed', fields: [field] } as const;
  const gone = { document: 'ConfigMap/y', kind: 'removed', fields: [] } as const;
  assert.deepEqual(renderTargetDiff([one], plain), ['~ ConfigMap/x', '  ~ /data/a: 1 -> 2']);
  assert.deepEqual(renderTargetDiff([one, gone], plain, true), [
    'objects: 1 removed, 1 changed',
    '~ ConfigMap/x: 1 field',
    '- ConfigMap/y',
  ]);
  assert.deepEqual(renderTargetDiff([], plain), ['only the order differs']);
});
