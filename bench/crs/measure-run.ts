import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, CRS } from '../../e2e/crs/crs-objects.ts';
import { type Manager, type ManagerKind, startManager } from '../../e2e/crs/managers.ts';
import type { AuditedRequest } from './audit-log.ts';
import { BindingsWatch } from './bindings-watch.ts';
import type { World } from './crs-world.ts';
import type { Fleet } from './fleet.ts';
import { type Usage, usageOf } from './process-usage.ts';

export const PHASES = ['first apply', 'one key changed', 'same set again at once', 'all sets changed'] as const;
export type Phase = (typeof PHASES)[number];

export interface Measured {
  /** Time until the bindings of all clusters show the change. */
  readonly ms: number;
  /** CPU of the manager. */
  readonly cpuSeconds: number;
  readonly management: readonly AuditedRequest[];
  readonly workload: readonly AuditedRequest[];
}

export interface Run extends Usage {
  readonly phases: Readonly<Record<Phase, Measured>>;
}

/** Flags in addition to those a user would set: ours must start although the other manager was active a moment ago. */
const FLAGS = { upstream: [], ours: ['--allow-beside-cluster-api'] } as const;
const CONNECT_MS = 90_000;
const PHASE_MS = 120_000;
const QUIET_MS = 1_500;
const ONE_KEY_SAMPLES = 5;

/** Runs one manager on a fresh fleet; returns the cost of each phase, and the requests to each server. */
export async function measureRun(
  kind: ManagerKind,
  { world, fleet }: { readonly world: World; readonly fleet: Fleet },
  signal: AbortSignal,
): Promise<Run | undefined> {
  const { cluster, client } = world.management;
  await fleet.prepare(signal);
  const flags = [`--namespace=${fleet.namespace}`, ...FLAGS[kind]];
  const manager = await startManager(kind, {
    kubeconfig: cluster.kubeconfigFile(),
    flags,
    fleetshift: world.fleetshift,
  });
  if (manager === undefined) return undefined;
  const bindings = new BindingsWatch(client, fleet);
  try {
    await bindings.start(signal);
    if (kind === 'upstream') await untilConnected(world, fleet, signal);
    await untilQuiet(world, signal);
    return await measurePhases({ manager, world, fleet, bindings }, signal);
  } finally {
    await bindings.stop();
    await manager.stop();
    await fleet.remove(AbortSignal.timeout(CONNECT_MS));
  }
}

interface Stage {
  readonly manager: Manager;
  readonly world: World;
  readonly fleet: Fleet;
  readonly bindings: BindingsWatch;
}

async function measurePhases(stage: Stage, signal: AbortSignal): Promise<Run> {
  const { fleet, manager } = stage;
  const [one = '', ...rest] = fleet.setNames;
  const all = [one, ...rest];
  const change = (sets: readonly string[], turn: string) => (): Promise<void> => fleet.change(sets, turn, signal);
  const first = await phase(stage, { sets: all, act: () => fleet.createSets(signal), isQuiet: true }, signal);
  const changed = await oneKeyChanged(stage, { one, change }, signal);
  const again = await phase(stage, { sets: [one], act: change([one], 'third'), isQuiet: true }, signal);
  const everything = await phase(stage, { sets: all, act: change(all, 'fourth'), isQuiet: true }, signal);
  return {
    phases: {
      'first apply': first,
      'one key changed': changed,
      'same set again at once': again,
      'all sets changed': everything,
    },
    ...usageOf(manager.pid),
  };
}

/**
 * The phase takes a few tenths of a second, so that a single sample shows how busy the machine is: it is repeated, and the sample
 * with the median time counts. Nothing is awaited after the last, since the next phase follows at once.
 */
async function oneKeyChanged(
  stage: Stage,
  { one, change }: { readonly one: string; readonly change: (sets: readonly string[], turn: string) => Acts['act'] },
  signal: AbortSignal,
): Promise<Measured> {
  const samples: Measured[] = [];
  for (let sample = 1; sample <= ONE_KEY_SAMPLES; sample += 1) {
    const isQuiet = sample < ONE_KEY_SAMPLES;
    samples.push(await phase(stage, { sets: [one], act: change([one], `second-${sample}`), isQuiet }, signal));
  }
  const middle = samples.toSorted((a, b) => a.ms - b.ms)[Math.floor(ONE_KEY_SAMPLES / 2)];
  if (middle === undefined) throw new Error('measure the change of one key: there are no samples');
  return middle;
}

interface Acts {
  readonly sets: readonly string[];
  readonly act: () => Promise<void>;
  /** Whether the phase ends only when requests stop, so that requests after the bindings are written count too. */
  readonly isQuiet: boolean;
}

async function phase(
  { manager, world, bindings }: Stage,
  { sets, act, isQuiet }: Acts,
  signal: AbortSignal,
): Promise<Measured> {
  const servers = [world.management, ...world.workloads];
  const positions = await Promise.all(servers.map(({ audit }) => audit.position()));
  const before = bindings.hashes(sets);
  const { cpuSeconds: spent } = usageOf(manager.pid);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PHASE_MS)]);
  const begun = performance.now();
  await Promise.all([bindings.applied(sets, before, patience), act()]);
  const ms = performance.now() - begun;
  if (isQuiet) await untilQuiet(world, patience);
  const cpuSeconds = usageOf(manager.pid).cpuSeconds - spent;
  const asked = await Promise.all(servers.map(({ audit }, index) => audit.since(positions[index] ?? 0)));
  const [management = [], ...workload] = asked;
  return { ms, cpuSeconds, management, workload: workload.flat() };
}

/** Waits until the management cluster has received no requests for a while. */
async function untilQuiet({ management: { audit } }: World, signal: AbortSignal): Promise<void> {
  for (;;) {
    const position = await audit.position();
    await delay(QUIET_MS, undefined, { signal });
    if ((await audit.since(position)).length === 0) return;
  }
}

/** Upstream connects in the background before it does anything; that time is not measured. */
async function untilConnected({ management: { client } }: World, fleet: Fleet, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  const ref = { resource: CRS.clusters, namespace: fleet.namespace };
  for (;;) {
    const { items } = await client.list<Cluster>(ref, {}, patience);
    const isConnected = ({ status }: Cluster): boolean =>
      status?.conditions?.some((it) => it.type === 'RemoteConnectionProbe' && it.status === 'True') === true;
    if (items.every(isConnected)) return;
    await delay(200, undefined, { signal: patience });
  }
}
