import { parseArgs } from 'node:util';
import { type Counts, countByModule, countByRoom, type Entered, without } from './path/entered.ts';
import { runStory } from './path/run-story.ts';
import { ROOT } from './repository.ts';
import { prepareWorktree } from './worktree.ts';

/**
 * `node scripts/path.ts [--list] [--beside REF]`: the functions, files and lines that one Deployment enters on its way from
 * POST to the event of its success, in the platform, the fleetlet and the agent. kit and generated code are counted apart.
 * `busy` leaves out what also runs while nothing is asked of the platform.
 */
const USAGE = 'node scripts/path.ts [--list] [--beside REF]';
const TIMEOUT_MS = 5 * 60_000;

interface Measured {
  readonly all: ReturnType<typeof countByRoom>;
  readonly busy: ReturnType<typeof countByRoom>;
}

async function main(): Promise<number> {
  const options = { list: { type: 'boolean' }, beside: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { ms, entered, idle } = await runStory(ROOT, signal);
  const own = measured(entered, idle);
  const list = values.list ? { list: listOf(entered, idle) } : {};
  console.log(`one Deployment, ${ms.toFixed(0)} ms from POST to its success\n`);
  for (const [module, counts] of countByModule(without(entered, idle))) print(module, counts);
  console.log('');
  printMeasured('this checkout', own);
  if (values.beside === undefined) {
    console.log(JSON.stringify({ path: own, ...list }));
    return 0;
  }
  const { folder, commit } = await prepareWorktree(values.beside, 'bench', signal);
  const theirs = await runStory(folder, signal);
  const other = measured(theirs.entered, theirs.idle);
  const ratio = { all: ratioOf(own.all.path, other.all.path), busy: ratioOf(own.busy.path, other.busy.path) };
  printMeasured(values.beside, other);
  for (const [kind, ratios] of Object.entries(ratio)) print(`ratio, ${kind}`, ratios);
  console.log(JSON.stringify({ path: own, beside: { ref: values.beside, commit, path: other }, ratio, ...list }));
  return 0;
}

function measured(entered: readonly Entered[], idle: readonly Entered[]): Measured {
  return { all: countByRoom(entered), busy: countByRoom(without(entered, idle)) };
}

/** `file#function`, sorted; a function without a name has its line instead. */
function listOf(entered: readonly Entered[], idle: readonly Entered[]): string[] {
  return [...new Set(without(entered, idle).map(({ file, name, line }) => `${file}#${name || line}`))].sort();
}

function ratioOf(ours: Counts, theirs: Counts): Counts {
  const over = (key: keyof Counts): number => Number((ours[key] / theirs[key]).toFixed(3));
  return { functions: over('functions'), files: over('files'), lines: over('lines') };
}

function printMeasured(name: string, { all, busy }: Measured): void {
  print(`${name}, all`, all.path);
  print(`${name}, busy`, busy.path);
  print(`${name}, kit and generated, busy`, busy.apart);
}

function print(name: string, { functions, files, lines }: Counts): void {
  console.log(`${name.padEnd(44)} ${functions} functions, ${files} files, ${lines} lines`);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
