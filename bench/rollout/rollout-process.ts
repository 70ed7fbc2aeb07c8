import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { DeploymentService } from '#contexts/orchestration';
import { parseResourceName, uuidv7 } from '#kit/std';
import { openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { directoryIn, poolIn } from '../../apps/platform/orchestration/transaction-ports.ts';
import {
  builtInRules,
  builtInStrategies,
  orchestrationUnitOfWork,
} from '../../contexts/orchestration/adapters/index.ts';
import type { ManifestStrategy } from '../../contexts/orchestration/domain/manifest/manifest-strategy.ts';
import { type BenchFleet, openBenchFleet, type Sightings, STAGES, WIDTH, WORKSPACE } from './bench-fleet.ts';
import { countingStorage, type Writes } from './counting-storage.ts';

/** A separate process, so that its memory is that of one rollout. */
export interface RolloutOrders {
  readonly place: { readonly file: string } | { readonly url: string };
  readonly folder: string;
  readonly size: number;
  readonly rollout: 'immediate' | 'staged';
  /** How long the manifest strategy takes for each target; `undefined` for inline documents. */
  readonly generateMs?: number;
}

export interface RolloutRun {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endMs: number;
  readonly bareMs: number;
  readonly transactions: number;
  readonly rows: number;
  readonly steps: number;
  readonly peakBytes: number;
  readonly blockedMs: number;
}

const ROLLOUTS = {
  immediate: { type: 'immediate' },
  staged: {
    type: 'staged',
    stages: STAGES.map((stage) => ({
      name: stage,
      selector: { matchLabels: { stage } },
      maxConcurrency: '50%',
    })),
  },
} as const;

const SLOW = 'slow';
const NAME = parseResourceName('app');
const signal = AbortSignal.timeout(20 * 60_000);
const orders = JSON.parse(process.argv[2] ?? '') as RolloutOrders;
const plain = await open();
const { storage, writes } = countingStorage(plain);
const fleet = await openBenchFleet({ storage, folder: orders.folder, size: orders.size }, signal);
const strategies = builtInStrategies();
if (orders.generateMs !== undefined) {
  const slow = { manifests: [slowManifest(orders.generateMs)] };
  strategies.add(slow);
  await fleet.register(slow, signal);
}
// The schema of the API knows built-in types only.
const rules = { ...builtInRules(strategies), shape: () => [] };
const service = new DeploymentService({ newUid: uuidv7, rules, fingerprint: (secret) => secret });
const unitDeps = { newId: uuidv7, sealer: noSecrets(), pool: poolIn, workspaces: directoryIn };
for (const [revision, text] of [
  [1, 'first'],
  [2, 'warm'],
] as const) {
  const seen = fleet.watch();
  await deploy(text);
  await untilDone(revision, seen);
}
console.log(JSON.stringify(await measure()));
await fleet.stop();
await plain.close();

/** Changes one line and rolls it out to every target; then a bare loop that only sends the same orders. */
async function measure(): Promise<RolloutRun> {
  const peak = watchMemory();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const before = { ...writes };
  const steps = await historyLength();
  const seen = fleet.watch();
  loop.enable();
  const begun = performance.now();
  await deploy('second');
  await untilDone(3, seen);
  const ended = performance.now();
  loop.disable();
  const peakBytes = peak();
  if (seen.count !== orders.size) throw new Error(`${seen.count} orders, and not ${orders.size}`);
  const wrote = difference(writes, before);
  return {
    firstMs: seen.first - begun,
    lastMs: seen.last - begun,
    endMs: ended - begun,
    bareMs: await bareLoop(fleet),
    ...wrote,
    steps: (await historyLength()) - steps,
    peakBytes,
    blockedMs: loop.max / 1e6,
  };
}

async function deploy(text: string): Promise<void> {
  const acting = { by: 'bench', now: Date.now(), workspace: WORKSPACE.name, mayPlaceLocally: async () => {} };
  const manifest = { type: orders.generateMs === undefined ? 'inline' : SLOW, documents: [document(text)] };
  await storage.write(async (tx) => {
    const unit = orchestrationUnitOfWork(tx, unitDeps);
    if ((await unit.deployments.find(WORKSPACE.name, NAME, signal)) === undefined) {
      const draft = { manifest, placement: [{ type: 'all' }], rollout: ROLLOUTS[orders.rollout] };
      await service.create(unit, { ...acting, name: NAME, draft }, signal);
    } else {
      const precondition = { check: () => {} };
      await service.patch(unit, { ...acting, name: NAME, precondition, patch: { manifest } }, signal);
    }
  }, signal);
}

/** Generates the same documents for each target, after a while. */
function slowManifest(ms: number): ManifestStrategy {
  return {
    type: SLOW,
    parse: (spec) => ({ kind: 'parsed', value: spec }),
    reads: () => [],
    fits: () => undefined,
    generate: async (spec, _, stop) => {
      await pause(ms, undefined, { signal: stop });
      const { documents } = spec as { readonly documents: ReturnType<typeof document>[] };
      return { kind: 'generated', documents };
    },
  };
}

function document(text: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace: 'default' }, data: { text } };
}

/** Queries the database only after every target has the change: polling would be part of the measurement. */
async function untilDone(revision: number, seen: Sightings): Promise<void> {
  while (seen.count < orders.size) await pause(2);
  for (;;) {
    const row = await plain.get(
      sql`SELECT count(*) AS done FROM deployment_revisions WHERE revision = ${revision} AND outcome = 'Succeeded'`,
      signal,
    );
    if (Number(row?.['done']) === 1) return;
    await pause(2);
  }
}

async function historyLength(): Promise<number> {
  return Number((await plain.get(sql`SELECT count(*) AS rows FROM durable_history`, signal))?.['rows']);
}

/**
 * Sends the same orders to the same agents with the same concurrency, and does nothing else. For a staged rollout it
 * waits after each stage, as any sender would have to.
 */
async function bareLoop({ targets, simulated }: BenchFleet): Promise<number> {
  const documents = [document('bare')];
  const terms = { healthRules: [], driftPolicy: 'report', secretPlaces: [] } as const;
  const stages =
    orders.rollout === 'staged'
      ? STAGES.map((_, nth) => targets.filter((_, at) => at % STAGES.length === nth))
      : [targets];
  const begun = performance.now();
  for (const stage of stages) {
    const queue = stage.values();
    const send = async (): Promise<void> => {
      for (const { uid, name, type } of queue) {
        const its = { target: { id: uid as never, name, type }, deployment: uid, revision: 1 };
        const { kind } = await simulated.dispatch(
          { ...its, kind: 'deliver', hash: 'bare', documents, ...terms },
          signal,
        );
        if (kind !== 'accepted') throw new Error(`${name} answered ${kind}`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, send));
  }
  return performance.now() - begun;
}

function watchMemory(): () => number {
  let peak = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  return () => {
    clearInterval(timer);
    return Math.max(peak, process.memoryUsage.rss());
  };
}

function difference(after: Writes, before: Writes): Writes {
  return { transactions: after.transactions - before.transactions, rows: after.rows - before.rows };
}

async function open(): Promise<Storage> {
  const { place } = orders;
  if ('file' in place) return await openSqlite({ file: place.file, modules: SCHEMA_MODULES }, signal);
  return await openPostgres({ url: place.url, modules: SCHEMA_MODULES }, signal);
}

function noSecrets() {
  const never = async (): Promise<never> => {
    throw new TypeError('there is no secret in what is deployed here');
  };
  return { seal: never, open: never };
}
