import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aWorkspace, theRoot } from '../testing/a-workspace.ts';
import { checkDeletable } from './delete-workspace.ts';

describe('a workspace that is to be deleted', () => {
  it('may go when nothing is in it', () => {
    checkDeletable(aWorkspace(), []);
    checkDeletable(aWorkspace(), [{ kind: 'workspace', count: 0, names: [] }]);
  });

  it('stays while something is in it, and says what', () => {
    const few = { kind: 'workspace', count: 2, names: ['a', 'b'] };
    const many = { kind: 'target', count: 300, names: ['x', 'y'] };
    assert.throws(
      () => checkDeletable(aWorkspace(), [few, { kind: 'deployment', count: 0, names: [] }, many]),
      (error: { code?: string; details?: unknown; message: string }) => {
        assert.deepEqual([error.code, error.details], ['WORKSPACE_NOT_EMPTY', { inTheWay: [few, many] }]);
        assert.match(error.message, /2 workspaces \(a, b\); 300 targets \(x, y and 298 more\)/);
        return true;
      },
    );
  });

  it('stays when it is the root, empty or not', () => {
    assert.throws(() => checkDeletable(theRoot(), []), { code: 'ROOT_IS_FIXED' });
  });
});
