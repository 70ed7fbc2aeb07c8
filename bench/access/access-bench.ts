import { type AccessIndex, askerOf } from '#contexts/access';
import type { Question } from '../../contexts/access/domain/decide-access.ts';
import { type Bench, type BenchContext, cost, type Figure, plain, rate } from '../figure.ts';
import { interleaved, percentile } from '../statistics.ts';
import { subtreeBench } from '../subtree/subtree-bench.ts';
import { buildWorld, type World } from './access-world.ts';

const SEED = 20_260_101;
const P99_GOAL_US = 100;
const WORKSPACES = 10_000;
const TARGETS = 20_000;
const ASKED = ['targets.read', 'targets.update'];

/** An access question, with the key by which a plain map would know the answer. */
interface Asked {
  readonly caller: World['callers'][number];
  readonly question: Question;
  readonly key: string;
}

export const accessBench: Bench = {
  name: 'access',
  description:
    'checks from the index at 10,000 and 100,000 grants, compared with a plain map lookup; then the bench subtree',
  run: async (context) => {
    const figures: Figure[] = [];
    for (const grants of [10_000, 100_000]) figures.push(...(await measure(grants, context)));
    figures.push(plain('memory: resident set at the end', process.memoryUsage.rss() / 2 ** 20, 'MiB'));
    return [...figures, ...(await subtreeBench.run(context))];
  },
};

async function measure(grants: number, context: BenchContext): Promise<Figure[]> {
  const world = buildWorld({ workspaces: WORKSPACES, targets: TARGETS, grants }, SEED);
  const { index } = world;
  const asked = Array.from({ length: 50_000 }, () => questionOf(world));
  const answers = new Map(asked.map(({ caller, question, key }) => [key, index.allows(askerOf(caller), question)]));
  const check = ({ caller, question }: Asked) => index.allows(askerOf(caller), question);
  const lookUp = ({ key }: Asked) => answers.get(key) === true;
  const rounds = context.quick ? 3 : 9;
  const rates = await interleaved(
    rounds,
    async () => perSecond(asked, check),
    async () => perSecond(asked, lookUp),
  );
  const [ours, theirs] = [microseconds(asked, check, rounds), microseconds(asked, lookUp, rounds)];
  const allowed = asked.filter(check).length / asked.length;
  const at = `${grants.toLocaleString('en')} grants`;
  context.log(`${at}: ${Math.round(rates.ours)} checks/s, ${Math.round(100 * allowed)}% of them allowed`);
  const p99 = percentile(ours, 0.99);
  return [
    rate({ name: `${at}: checks`, unit: '/s', value: rates.ours, reference: rates.theirs }),
    cost({
      name: `${at}: check p50`,
      unit: 'us',
      value: percentile(ours, 0.5),
      reference: percentile(theirs, 0.5),
    }),
    { ...plain(`${at}: check p99`, p99, 'us'), goal: P99_GOAL_US, met: p99 <= P99_GOAL_US },
    plain(`${at}: plain map lookup p99`, percentile(theirs, 0.99), 'us'),
    ...otherFigures(at, world),
  ];
}

/** Work besides checks: adding and removing grants, lists of visible objects, and the initial load. */
function otherFigures(at: string, world: World): Figure[] {
  const { index, callers, loadMs } = world;
  const updates = Array.from({ length: 5_000 }, () => world.anotherGrant());
  const begun = performance.now();
  for (const grant of updates) index.apply({ kind: 'grant', grant });
  for (const { uid } of updates) index.apply({ kind: 'grantDeleted', uid });
  const perUpdate = ((performance.now() - begun) * 1_000) / (updates.length * 2);
  const visible = callers.map((caller) => {
    const started = performance.now();
    index.visible(askerOf(caller), 'targets.read');
    return (performance.now() - started) * 1_000;
  });
  return [
    plain(`${at}: update`, perUpdate, 'us'),
    plain(`${at}: visible set p50`, percentile(visible, 0.5), 'us'),
    plain(`${at}: visible set p99`, percentile(visible, 0.99), 'us'),
    plain(`${at}: page of 100 permitted targets p99`, percentile(pages(index, callers), 0.99), 'us'),
    plain(`${at}: apply everything at start`, loadMs, 'ms'),
  ];
}

function pages(index: AccessIndex, callers: World['callers']): number[] {
  return callers.slice(0, 500).map((caller) => {
    const begun = performance.now();
    index.permittedResources(askerOf(caller), { permission: 'targets.read', after: undefined, limit: 100 });
    return (performance.now() - begun) * 1_000;
  });
}

function questionOf({ callers, targets, random }: World): Asked {
  const [caller, permission, name] = [random.pick(callers), random.pick(ASKED), random.pick(targets)];
  const question: Question = { permission, resource: { kind: 'target', name } };
  return { caller, question, key: `${caller.id} ${permission} ${name}` };
}

let sink = 0;

function perSecond(asked: readonly Asked[], ask: (asked: Asked) => boolean): number {
  const begun = performance.now();
  for (const each of asked) if (ask(each)) sink += 1;
  return asked.length / ((performance.now() - begun) / 1_000);
}

function microseconds(asked: readonly Asked[], ask: (asked: Asked) => boolean, rounds: number): number[] {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const each of asked) {
      const begun = process.hrtime.bigint();
      if (ask(each)) sink += 1;
      taken.push(Number(process.hrtime.bigint() - begun) / 1_000);
    }
  }
  return taken;
}
