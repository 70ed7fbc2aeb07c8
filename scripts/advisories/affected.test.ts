import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Advisory, compareVersions, hits, installedBy } from './affected.ts';

const LOCKFILE = {
  packages: {
    '': { name: 'fleetshift', version: '0.1.0' },
    'node_modules/ws': { version: '8.22.2' },
    'node_modules/a/node_modules/ws': { version: '7.0.0' },
    'node_modules/alias': { name: '@scope/real', version: '1.0.0' },
  },
};

const advisory = (name: string, events: object[], more: Partial<Advisory> = {}): Advisory => ({
  id: 'GHSA-planted',
  affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
  ...more,
});

for (const { why, given, want } of [
  { why: 'a range that is open', given: advisory('ws', [{ introduced: '0' }]), want: ['ws@8.22.2', 'ws@7.0.0'] },
  { why: 'a range that ends', given: advisory('ws', [{ introduced: '0' }, { fixed: '8.0.0' }]), want: ['ws@7.0.0'] },
  {
    why: 'the last that is affected',
    given: advisory('ws', [{ introduced: '8.0.0' }, { last_affected: '8.22.2' }]),
    want: ['ws@8.22.2'],
  },
  {
    why: 'a package under another name',
    given: advisory('@scope/real', [{ introduced: '0' }]),
    want: ['@scope/real@1.0.0'],
  },
  {
    why: 'one that was withdrawn',
    given: advisory('ws', [{ introduced: '0' }], { withdrawn: '2026-01-01' }),
    want: [],
  },
  { why: 'another package', given: advisory('wss', [{ introduced: '0' }]), want: [] },
]) {
  test(`an advisory for ${why}`, () => {
    const found = hits([given], installedBy(LOCKFILE)).map((hit) => hit.split(':')[0]);
    assert.deepEqual(found, want);
  });
}

test('versions compare as semantic versioning has it', () => {
  const ordered = ['0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0', '1.2.10', '1.10.0'];
  for (const [at, version] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      assert.equal(compareVersions(version, than), Math.sign(at - other), `${version} and ${than}`);
    }
  }
});
