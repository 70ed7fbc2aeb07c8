import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedLines, type DrawnMutant, drawMutants, type FileMutants } from './mutants/draw-mutants.ts';
import { findMutants, MUTANT_KINDS } from './mutants/find-mutants.ts';
import { MutantTests, type TestedMutant } from './mutants/test-mutants.ts';
import { readSuite } from './tests/select.ts';
import { prepareWorktree } from './worktree.ts';

const FOLDERS = [
  'contexts/orchestration/domain',
  'contexts/orchestration/application',
  'contexts/delivery',
  'contexts/kubernetes/domain',
  'contexts/kubernetes/application',
  'contexts/channels/application',
];

const USAGE = `usage: npm run mutants -- [--count N] [--seed S] [--ref REF] [--deadline SECONDS] [PATH...]

Changes the code of a commit in one place after another, and counts the changes that a test without a server notices.
The commit is checked out in a worktree in the user's cache; what is not committed is not seen. Ctrl-C ends with the
figures so far, which are as fair as all of them.

  --count N           number of mutants, 100 by default; the folders get equal shares, and in them the kinds
  --seed S            draws others; the same seed draws the same lines, also where code has moved
  --ref REF           the commit, HEAD by default
  --deadline SECONDS  of a core for the tests of a mutant, 60 by default
  PATH...             folders to mutate instead of
                      ${FOLDERS.join('\n                      ')}

kinds: ${MUTANT_KINDS.join(', ')}`;

const OPTIONS = {
  count: { type: 'string', default: '100' },
  seed: { type: 'string', default: '1' },
  ref: { type: 'string', default: 'HEAD' },
  deadline: { type: 'string', default: '60' },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [count, seed, deadline] = [values.count, values.seed, values.deadline].map(Number);
  const numbers = [count, seed, deadline];
  if (
    values.help ||
    count === undefined ||
    seed === undefined ||
    deadline === undefined ||
    !numbers.every(Number.isInteger)
  ) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const signal = AbortSignal.timeout(12 * 3_600_000);
  let isOver = false;
  process.once('SIGINT', () => {
    isOver = true;
  });
  const { folder: root, commit } = await prepareWorktree(values.ref, 'mutants', signal);
  const suite = await readSuite(root);
  const folders = positionals.length > 0 ? positionals.map((path) => path.replace(/\/$/, '')) : FOLDERS;
  const files = [...suite.sources].flatMap(([file, source]) => mutantsOf(file, source, folders));
  const drawn = drawMutants(files, count, seed);
  const all = files.reduce((sum, { mutants }) => sum + mutants.length, 0);
  console.log(`${drawn.length} of ${all} mutants of ${values.ref} (${commit.slice(0, 12)}), seed ${seed}, in ${root}`);
  const tests = new MutantTests({ root, suite, cpuSeconds: deadline, log: (line) => console.log(line) });
  try {
    await tests.measure([...new Set(drawn.map(({ file }) => file))], signal);
    const tested: TestedMutant[] = [];
    for (const mutant of drawn) {
      if (isOver) break;
      const result = await tests.test(mutant, signal);
      tested.push(result);
      console.log(
        `${tested.length}/${drawn.length} ${nameOf(result)}: ${result.fate}${result.by ? ` by ${result.by}` : ''}`,
      );
    }
    report(tested, (file) => readFileSync(join(root, file), 'utf8'));
    console.log(
      JSON.stringify({ mutants: { ref: values.ref, commit, seed, drawn: drawn.length }, ...figuresOf(tested) }),
    );
    return 0;
  } finally {
    tests.dispose();
  }
}

function mutantsOf(file: string, source: string, folders: readonly string[]): FileMutants[] {
  const folder = folders.find((each) => file === each || file.startsWith(`${each}/`));
  const isProduction = !/\.(test|soak)\.ts$|\/testing\//.test(file);
  return folder === undefined || !isProduction ? [] : [{ file, folder, source, mutants: findMutants(source) }];
}

function nameOf({ file, line, kind }: DrawnMutant): string {
  return `${file}:${line} ${kind}`;
}

const isKilled = ({ fate }: TestedMutant): boolean => fate === 'killed' || fate === 'timeout';

function report(tested: readonly TestedMutant[], read: (file: string) => string): void {
  for (const survivor of tested.filter((each) => !isKilled(each))) {
    const { before, after } = changedLines(read(survivor.file), survivor);
    const lines = [...before.map((line) => `  - ${line}`), ...after.map((line) => `  + ${line}`)];
    console.log(['', `${nameOf(survivor)}: ${survivor.fate}`, ...lines].join('\n'));
  }
  console.log('');
  for (const [title, key] of [
    ['folder', 'folder'],
    ['kind', 'kind'],
  ] as const) {
    for (const [name, all] of Map.groupBy(tested, (each) => each[key])) {
      const killed = all.filter(isKilled).length;
      console.log(`${title} ${name}: ${killed} of ${all.length} killed (${percent(killed, all.length)} %)`);
    }
  }
  const killed = tested.filter(isKilled).length;
  console.log(`${killed} of ${tested.length} killed (${percent(killed, tested.length)} %)`);
}

function figuresOf(tested: readonly TestedMutant[]) {
  const counted = (all: readonly TestedMutant[]) => ({ killed: all.filter(isKilled).length, of: all.length });
  const by = (key: 'folder' | 'kind') =>
    Object.fromEntries([...Map.groupBy(tested, (each) => each[key])].map(([name, all]) => [name, counted(all)]));
  const survivors = tested.filter((each) => !isKilled(each)).map(nameOf);
  return { ...counted(tested), folders: by('folder'), kinds: by('kind'), survivors };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0' : ((100 * part) / whole).toFixed(1);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
