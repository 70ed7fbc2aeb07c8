import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

describe('this package', () => {
  it('has one version of the SDK', () => {
    const { dependencies } = JSON.parse(read('./package.json')) as { dependencies: Record<string, string> };
    assert.equal(new Set(Object.values(dependencies)).size, 1);
  });

  it('keeps the place that packages came from out of its lockfile', () => {
    assert.match(read('./.npmrc'), /^omit-lockfile-registry-resolved=true$/m);
    assert.doesNotMatch(read('./package-lock.json'), /"resolved": "https?:/);
  });

  it('has every platform in the lockfile, without which "npm ci" refuses it', () => {
    const { packages } = JSON.parse(read('./package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages),
      ),
    );
    assert.deepEqual(missing, []);
  });
});
