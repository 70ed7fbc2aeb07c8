import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { installSdk } from '../../../testing/temporal/install-sdk.ts';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..', '..');

/** The root's gates leave this folder out: it cannot be judged where the SDK is not installed. */
describe('this package', () => {
  before(() => installSdk());

  for (const { what, command, args } of [
    { what: 'types', command: 'tsc', args: ['--project', HERE] },
    { what: 'lint', command: 'oxlint', args: ['--type-aware', '--config', join(HERE, '.oxlintrc.jsonc'), HERE] },
  ]) {
    it(`passes the gate "${what}"`, () => {
      const program = join(ROOT, 'node_modules', '.bin', command);
      const { status, stdout } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    });
  }

  it('has one version of the SDK, and keeps the place that packages came from out of its lockfile', () => {
    const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    assert.equal(new Set(Object.values(dependencies)).size, 1);
    assert.match(readFileSync(join(HERE, '.npmrc'), 'utf8'), /^omit-lockfile-registry-resolved=true$/m);
    assert.doesNotMatch(readFileSync(join(HERE, 'package-lock.json'), 'utf8'), /"resolved": "https?:/);
  });
});
