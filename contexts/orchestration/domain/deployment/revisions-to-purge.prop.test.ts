import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OUTCOMES } from '../rollout/machine/phase.ts';
import { revisionsToPurge } from './revisions-to-purge.ts';

const OUTCOME = fc.constantFrom(undefined, ...OUTCOMES);
const HISTORY = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), outcome: OUTCOME }), { maxLength: 30 })
  .map((steps) => {
    let revision = 0;
    return steps.map(({ gap, outcome }) => ({ revision: (revision += gap), outcome }));
  });
const PINNED = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }).map((pinned) => new Set(pinned));

test('the latest, the last that succeeded and those pinned stay, and nothing else', () => {
  fc.assert(
    fc.property(HISTORY, fc.integer({ min: 1, max: 12 }), PINNED, (history, keep, pinned) => {
      const purged = new Set(revisionsToPurge(history, { keep, pinned }));
      const succeeded = history.findLast(({ outcome }) => outcome === 'Succeeded')?.revision;
      for (const [index, { revision }] of history.entries()) {
        const stays = index >= history.length - keep || revision === succeeded || pinned.has(revision);
        assert.equal(purged.has(revision), !stays);
      }
    }),
  );
});

test('to keep none is to keep the last one', () => {
  const history = [1, 2].map((revision) => ({ revision, outcome: undefined }));
  assert.deepEqual(revisionsToPurge(history, { keep: 0, pinned: new Set() }), [1]);
});
