import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bareEnvironment } from '#testing/bare-environment';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { DURABLE_ERRORS } from './durable-error.ts';
import { LIMITS } from './limits.ts';
import { assertPureWorkflow, type DryOutcome, type PureWorkflow } from './testing/assert-pure-workflow.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/durable.md'), 'utf8');
const run = promisify(execFile);

interface Block {
  readonly language: string;
  readonly attribute: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
  ([, language = '', attribute = '', text = '']) => ({ language, attribute, text }),
);

describe('docs/durable.md', () => {
  /** Laid out like a checkout, with the files of the page at the paths it names. */
  let checkout: string;
  let folder: string;

  before(() => {
    checkout = mkdtempSync(join(tmpdir(), 'fleetshift-docs-'));
    folder = join(checkout, 'scratch', 'backup');
    mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'tsconfig.json']) {
      writeFileSync(join(checkout, name), readFileSync(join(ROOT, name)));
    }
    for (const name of ['kit', 'node_modules']) symlinkSync(join(ROOT, name), join(checkout, name));
    for (const [name, text] of files()) writeFileSync(join(folder, name), text);
  });
  after(() => rmSync(checkout, { recursive: true, force: true }));

  it('names a file for every piece of code', () => {
    const nameless = BLOCKS.filter(({ language, attribute }) => language === 'ts' && !attribute.startsWith('file='));
    assert.deepEqual(nameless, []);
    assert.ok(files().length >= 6, 'the page is read as it is meant');
  });

  it('has code that does what the page says', async () => {
    for (const output of ['output=first', 'output=second']) {
      const expected = BLOCKS.find(({ attribute }) => attribute === output)?.text;
      const { stdout } = await run(process.execPath, ['main.ts'], { cwd: folder, env: bareEnvironment(folder) });
      assert.equal(stdout, expected, output);
    }
  });

  it('has code whose types hold', async () => {
    const config = {
      extends: '../../tsconfig.json',
      include: ['*.ts'],
      compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const checked = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], { encoding: 'utf8' });
    assert.equal(checked.stdout, '');
  });

  it('has a test that passes', async () => {
    // Also without the variable of the current test runner, or the child would report to that one.
    const env = bareEnvironment(folder);
    const { stdout } = await run(process.execPath, ['--test', join(folder, 'nightly-backup.test.ts')], { env });
    assert.match(stdout, /pass 1\b/);
  });

  const [disk, snapshots] = ['a', { 'take-snapshot': () => ({ snapshot: 's1' }) }];
  const RUNS: Readonly<Record<string, { subject: Omit<PureWorkflow, 'module' | 'workflow'>; outcome: DryOutcome }>> = {
    'patterns.ts every-disk': {
      subject: { input: { disks: ['a', 'b'] }, activities: snapshots },
      outcome: { kind: 'returned', value: { failed: [] } },
    },
    'patterns.ts provisional': {
      subject: { input: { disk }, activities: snapshots },
      outcome: { kind: 'returned', value: 's1' },
    },
    'patterns.ts caretaker': {
      subject: { input: { nights: 3 }, continueAsNewDue: true },
      outcome: { kind: 'continued', input: { nights: 4 } },
    },
    'changed.ts changed': {
      subject: { input: { disk }, activities: snapshots },
      outcome: { kind: 'returned', value: 's1' },
    },
  };
  for (const [name, { subject, outcome }] of Object.entries(RUNS)) {
    it(`has a workflow that runs: ${name}`, async () => {
      const [file = '', workflow = ''] = name.split(' ');
      const module = pathToFileURL(join(folder, file));
      assert.deepEqual(await assertPureWorkflow({ ...subject, module, workflow }), outcome);
    });
  }

  it('runs every workflow that it has', () => {
    const defined = files().flatMap(([file, text]) =>
      [...text.matchAll(/defineWorkflow<.*?>\(\s*'([\w-]+)'/gs)].map(([, name]) => `${file} ${name}`),
    );
    assert.deepEqual(
      defined.filter((name) => !name.startsWith('nightly-backup.ts')).toSorted(),
      Object.keys(RUNS).toSorted(),
    );
  });

  it('lists the limits as they are', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)];
    const listed = rows.map(([, name, value]) => [name, Number(value?.replaceAll(',', ''))]);
    assert.deepEqual(Object.fromEntries(listed), LIMITS);
  });
});

it('kit/durable/README.md lists the errors as they are', () => {
  catalogueMatchesReadme({ catalogue: DURABLE_ERRORS, readme: new URL('./README.md', import.meta.url) });
});

function files(): [string, string][] {
  return BLOCKS.flatMap(({ attribute, text }): [string, string][] =>
    attribute.startsWith('file=') ? [[attribute.slice('file='.length), text]] : [],
  );
}
