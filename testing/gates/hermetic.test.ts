import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  /** A text the pattern must find; split into pieces so that it is not found in this file. */
  readonly sample: readonly string[];
  /** Files that may contain it, and why. */
  readonly except: Readonly<Record<string, string>>;
}

/** A test that reads or writes shared state passes on one machine and fails on the next, or alongside another run. */
const RULES: readonly Rule[] = [
  {
    what: 'asks for the folder that it was started in, or leaves it',
    pattern: /\bprocess\.(?:cwd|chdir)\(/,
    sample: ['process.', 'cwd()'],
    except: { 'scripts/tests/run-job.test.ts': 'in the source of a planted test, which tells where it runs' },
  },
  {
    what: 'asks for the home of the user',
    pattern: /\bhomedir\(/,
    sample: ['home', 'dir()'],
    except: { 'testing/go-program.ts': 'built programs are kept between runs, for the user' },
  },
  {
    what: 'hands on its whole environment',
    pattern: /\.\.\.process\.env\b/,
    sample: ['...', 'process.env'],
    except: {
      'apps/demo/demo-kubernetes.e2e.test.ts': 'it asks which programs are there, and starts nothing with it',
      'testing/postgres.test.ts': 'variables choose the Postgres that is tested',
    },
  },
  {
    what: 'changes its environment',
    pattern: /process\.env(?:\.\w+|\[[^\]]+\]) *=[^=]|delete process\.env/,
    sample: ["process.env['HOME']", " = '/'"],
    except: { 'kit/kube/client/connecting.test.ts': 'Node reads this one at each connection; it is taken back' },
  },
  {
    what: 'listens at a port of its choice',
    pattern: /\.listen\([1-9]\d*|--[a-z-]*listen(?:', '|=)[^'"\s]*:[1-9]/,
    sample: ["'--listen', '127.0.0.1", ":8700'"],
    except: {
      'apps/cli/main.e2e.test.ts': 'it is refused before it listens',
      'apps/platform/config.test.ts': 'settings are read, and nothing listens',
      'apps/platform/dial-guard.test.ts': 'settings are read, and nothing listens',
      'e2e/kubectl/kubectl.e2e.test.ts': 'in a Pod, which has an address of its own',
      'kit/config/pages.test.ts': 'settings are read, and nothing listens',
      'kit/config/resolve-settings.test.ts': 'settings are read, and nothing listens',
      'testing/clusters/pod-runner/mounted-paths.test.ts': 'texts are rewritten, and nothing listens',
      'testing/clusters/pod-runner/pod-runner.e2e.test.ts': 'in a Pod, which has an address of its own',
    },
  },
  {
    what: 'has a hook for all tests of its process, which may be those of other files',
    pattern: /^(?:before|beforeEach|afterEach)\(/m,
    sample: ['before', 'Each(() => {'],
    except: {},
  },
  {
    what: 'has a deadline that begins when the file is loaded, long before its tests may run',
    pattern: /^(?:export )?const \w+ = AbortSignal\.timeout\(/m,
    sample: ['const signal = ', 'AbortSignal.timeout(1_000)'],
    except: {},
  },
];

describe('no test', () => {
  let files: ReadonlyMap<string, string>;
  before(async () => {
    const paths = await findFiles('**/*.test.ts', '**/testing/**/*.ts', 'e2e/**/*.ts');
    const others = paths.filter((path) => !path.startsWith('testing/gates/'));
    files = new Map(others.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  });

  for (const { what, pattern, sample, except } of RULES) {
    it(what, () => {
      const found = [...files].filter(([, text]) => pattern.test(text)).map(([path]) => path);
      // An exception that is no longer needed must be removed.
      assert.deepEqual(found.toSorted(), Object.keys(except).toSorted());
    });

    it(`${what}, which would be noticed`, () => assert.match(sample.join(''), pattern));
  }

  it('is left out', () => {
    for (const path of ['kit/std/errors.test.ts', 'testing/postgres.ts', 'e2e/home-for.ts']) {
      assert.ok(files.has(path), `${path} was not looked at`);
    }
  });
});
