import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthRatio } from '#testing/cpu-ratio';
import { AccessIndex } from './access-index.ts';
import { askerOf } from './asker.ts';

const MIGHTY = askerOf({ kind: 'admin', id: 'admin' });
const NOBODY = askerOf({ kind: 'user', id: 'dev:nobody' });

function indexWith(targets: number): AccessIndex {
  const index = new AccessIndex();
  index.apply({ kind: 'workspace', name: 'root', uid: 'root', generation: 1, parent: undefined });
  for (let n = 0; n < targets; n += 1) {
    index.apply({ kind: 'target', name: `t${n}`, uid: `uid-${n}`, generation: 1, workspace: 'root' });
  }
  return index;
}

describe('looking up what another may do', () => {
  const permission = 'targets.read';
  const range = { permission, after: undefined, limit: 101 };

  it('visits nothing for a reader who sees nothing', () => {
    const index = indexWith(1_000);
    assert.equal(index.permittedResources(MIGHTY, range).length, 101);
    assert.deepEqual(index.permittedResources(MIGHTY, { ...range, visibleTo: NOBODY }), []);
    const sizes = new Map([1_000, 4_000].map((size) => [size, indexWith(size)]));
    const ratio = growthRatio((size) => {
      for (let n = 0; n < 200; n += 1) sizes.get(size)?.permittedResources(MIGHTY, { ...range, visibleTo: NOBODY });
    }, 1_000);
    assert.ok(ratio < 3, `four times the targets took ${ratio} times the work`);
  });

  it('visits each target once for a reader who sees all', () => {
    const sizes = new Map([1_000, 4_000].map((size) => [size, indexWith(size)]));
    const ratio = growthRatio(
      (size) => void sizes.get(size)?.permittedResources(MIGHTY, { ...range, visibleTo: MIGHTY }),
      1_000,
    );
    assert.ok(ratio < 9, `four times the targets took ${ratio} times the work`);
  });
});
