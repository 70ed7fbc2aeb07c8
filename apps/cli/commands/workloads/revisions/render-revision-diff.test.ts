import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../../../output/paint.ts';
import { renderRevisionDiff } from './render-revision-diff.ts';

const FIELD = { path: '/data/a', kind: 'changed', before: 1, after: 2 } as const;
const DOCUMENT = { document: 'ConfigMap/x', kind: 'changed', fields: [FIELD] } as const;

function targetDiff(target: string, documents: readonly (typeof DOCUMENT)[]) {
  return {
    target,
    uid: `uid-of-${target}`,
    kind: 'changed',
    documents: [...documents].map((each) => ({ ...each, fields: [...each.fields] })),
  } as const;
}

test('what was asked for, and the same difference once for all targets that have it', () => {
  const diff = {
    revision: 7,
    against: 6,
    spec: [{ path: '/manifest/documents/0/data/a', kind: 'changed', before: 1, after: 2 } as const],
    counts: { added: 0, removed: 0, changed: 3, unchanged: 9 },
    targets: [targetDiff('a', [DOCUMENT]), targetDiff('b', []), targetDiff('c', [DOCUMENT])],
    nextPageToken: 'x',
  };
  assert.deepEqual(renderRevisionDiff(diff, plain), [
    'revision 7, compared with revision 6: 0 targets added, 0 removed, 3 changed, 9 unchanged',
    '',
    '~ spec',
    '  ~ /manifest/documents/0/data/a: 1 -> 2',
    '',
    'on 2 targets, a, c:',
    '  ~ ConfigMap/x',
    '    ~ /data/a: 1 -> 2',
    '',
    'on b:',
    '  only the order differs',
    '',
    'there are more targets; --limit shows more of them',
  ]);
});

test('the first revision is compared with nothing', () => {
  const counts = { added: 1, removed: 0, changed: 0, unchanged: 0 };
  const [first] = renderRevisionDiff({ revision: 1, spec: [], counts, targets: [] }, plain);
  assert.equal(first, 'revision 1, the first: 1 targets added, 0 removed, 0 changed, 0 unchanged');
});
