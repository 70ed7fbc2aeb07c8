import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreviewResource } from '#protocol/api';
import { plain } from '../../../output/paint.ts';
import { renderPreview } from './render-preview.ts';

const NOBODY: PreviewResource['resolution'] = {
  kind: 'sure',
  added: [],
  removed: [],
  held: [],
  excluded: [],
  retained: [],
  missing: [],
};

function aPreview(its: Partial<PreviewResource>): PreviewResource {
  return {
    deployment: 'web',
    revision: 8,
    spec: [],
    resolution: NOBODY,
    counts: { added: 0, changed: 0, unchanged: 0, removed: 0, failing: 0 },
    targets: [],
    digest: 'abc',
    ...its,
  };
}

function aTarget(
  target: string,
  its: Partial<PreviewResource['targets'][number]> = {},
): PreviewResource['targets'][number] {
  const fields = [{ path: '/data/key', kind: 'changed' as const, before: '[redacted]', after: '[redacted]' }];
  return {
    target,
    uid: `uid-of-${target}`,
    kind: 'changed',
    documents: [{ document: 'Secret/x', kind: 'changed', fields }],
    ...its,
  };
}

function drawn(its: Partial<PreviewResource>): string {
  return renderPreview(aPreview(its), plain).join('\n');
}

test('numbers, who gets and loses it, the plan, and the difference once for all that have it', () => {
  const step = { before: [], after: [], failurePolicy: 'pause' };
  const text = drawn({
    spec: [{ path: '/rollout/batchSize', kind: 'changed', before: 1, after: 2 }],
    resolution: { ...NOBODY, added: ['c'], removed: [{ target: 'z', cause: 'relabel' }] },
    counts: { added: 1, changed: 2, unchanged: 4, removed: 1, failing: 0 },
    plan: {
      current: 3,
      steps: [
        { ...step, name: 'removal', deliver: [], remove: ['z'] },
        { ...step, name: 'canary', deliver: ['a'], remove: [], after: ['health', 'approval'], maxConcurrency: 1 },
        { ...step, name: 'empty', deliver: [], remove: [] },
        { ...step, name: 'rest', deliver: ['b', 'c'], remove: [], failurePolicy: 'rollback' },
      ],
    },
    targets: [aTarget('a'), aTarget('b'), aTarget('y', { kind: 'unchanged', documents: [] })],
  });
  assert.equal(
    text,
    `web would be revision 8: 1 targets added, 2 changed, 4 unchanged, 1 removed
digest abc

~ spec
  ~ /rollout/batchSize: 1 -> 2

added: c
removed: z (relabel)

STAGE    DELIVER  REMOVE  BEFORE  AFTER             PARALLEL  ON FAILURE
removal  0        1       -       -                 all       pause
canary   1        0       -       health, approval  1         pause
rest     2        0       -       -                 all       rollback

on 2 targets: a, b
  ~ Secret/x
    ~ /data/key: "[redacted]" -> "[redacted]"

5 more targets are not shown; show one with --target NAME`,
  );
});

for (const { why, its, want } of [
  {
    why: 'doubt keeps everybody, and says why',
    its: { resolution: { ...NOBODY, kind: 'unsure', why: 'a score is too old' } },
    want: /^placement is unsure, so all targets keep what they have: a score is too old$/m,
  },
  {
    why: 'a removal that would be held',
    its: { resolution: { ...NOBODY, held: [{ target: 'a', why: 'MaxRemoval', message: 'too many' }] } },
    want: /^removal held for confirmation: a \(MaxRemoval\)$/m,
  },
  {
    why: 'newcomers that wait for the room of held ones',
    its: { resolution: { ...NOBODY, waiting: [{ target: 'b', why: 'NoRoom', message: 'no room' }] } },
    want: /^waiting until those are removed: b$/m,
  },
  { why: 'nothing to do', its: { plan: { steps: [], current: 9 } }, want: /^Nothing would be sent\.$/m },
  {
    why: 'a target that the manifest makes nothing of',
    its: { targets: [aTarget('a', { kind: 'failing', documents: [], message: 'no such value: x' })] },
    want: /^on: a\n {2}no such value: x$/m,
  },
  {
    why: 'what an agent says',
    its: { targets: [aTarget('a', { agent: { kind: 'wouldReject', message: 'no such kind', changes: ['- x'] } })] },
    want: /^ {2}agent: wouldReject: no such kind\n {2}- x$/m,
  },
] as const) {
  test(`a preview: ${why}`, () => assert.match(drawn(its as Partial<PreviewResource>), want));
}

test('what others changed on a target is shown, also where nothing new would be delivered', () => {
  const seen = (changes: string[]): string =>
    drawn({
      targets: [
        aTarget('a', { kind: 'unchanged', documents: [], agent: { kind: 'wouldApply', message: '', changes } }),
      ],
    });
  assert.match(
    seen(['v1/ConfigMap/shop/a /data/x: 2 -> 1']),
    /^on: a\n.*\n {2}v1\/ConfigMap\/shop\/a \/data\/x: 2 -> 1$/m,
  );
  assert.doesNotMatch(seen([]), /^on: a$/m);
});
