import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commitOf, newestRelease, readReleases } from './releases.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

const git = async (args: readonly string[], signal: AbortSignal) =>
  await runCommand(['git', ...args], { cwd: ROOT }, signal);

it('names each release with its commit, oldest first', () => {
  const numbers = readReleases().map(({ version, commit }) => {
    assert.match(commit, /^[0-9a-f]{40}$/, version);
    const [, ...parts] = /^v(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? assert.fail(version);
    return parts.map((part) => part.padStart(6, '0')).join('.');
  });
  assert.deepEqual(numbers, [...new Set(numbers)].sort());
});

it('resolves the name of a release, and leaves other names to git', () => {
  const { version, commit } = newestRelease();
  assert.equal(commitOf(version), commit);
  assert.equal(commitOf('main~3'), 'main~3');
});

it('agrees with the version of the package in that commit, and with the tag', async (t) => {
  for (const { version, commit } of readReleases()) {
    const manifest = await git(['show', `${commit}:package.json`], t.signal);
    if (manifest.code !== 0) return t.skip(`${version} is not in this clone`);
    assert.equal(`v${(JSON.parse(manifest.output) as { version: string }).version}`, version);
    const tag = await git(['rev-parse', '--verify', '--quiet', `refs/tags/${version}^{commit}`], t.signal);
    if (tag.code === 0) assert.equal(tag.output.trim(), commit, `the tag ${version}`);
  }
});
