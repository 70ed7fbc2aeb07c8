import { ownCluster, type TestCluster } from '#testing/clusters';
import { eachCase, type Soak, type SoakCase } from '#testing/soak';
import { cacheFaultCase } from './cache/testing/cache-fault-case.ts';
import { EASILY_OVERRUN } from './cache/testing/fault-stage.ts';
import { controllerFaultCase } from './controller/testing/controller-fault-case.ts';
import { leaderFaultCase } from './leader/testing/leader-fault-case.ts';

interface Servers {
  readonly usual: TestCluster;
  /** Keeps no history except in its store. */
  readonly uncached: TestCluster;
}

/** Four consecutive seeds have one of each. */
export const FAULT_CASES: readonly ((servers: Servers, it: SoakCase) => Promise<unknown>)[] = [
  ({ usual: cluster }, it) => cacheFaultCase({ cluster, ...it }, 'restart'),
  ({ usual: cluster }, it) => controllerFaultCase({ cluster, ...it }),
  ({ usual: cluster }, it) => leaderFaultCase({ cluster, ...it }),
  ({ uncached: cluster }, it) => cacheFaultCase({ cluster, ...it }, 'compaction'),
];

export const soak: Soak = {
  description:
    'caches, controllers and leaders on a real API server that is cut off, restarted, frozen, overrun and forgetful',
  defaultCount: 60,
  async run(options) {
    const cleaning: (() => Promise<void> | void)[] = [];
    try {
      const servers = await startServers((clean) => cleaning.push(clean), options.signal);
      await eachCase(options, async (it) => {
        await FAULT_CASES[it.seed % FAULT_CASES.length]?.(servers, it);
      });
    } finally {
      for (const clean of cleaning) await clean();
    }
  },
};

async function startServers(after: (clean: () => Promise<void> | void) => void, signal: AbortSignal): Promise<Servers> {
  const order = { size: 'apiserver', name: 'faults', apiServerFlags: EASILY_OVERRUN } as const;
  const apiServerFlags = [...EASILY_OVERRUN, '--watch-cache=false'];
  const [usual, uncached] = await Promise.all([
    ownCluster({ after }, order, signal),
    ownCluster({ after }, { ...order, apiServerFlags, ownEtcd: true }, signal),
  ]);
  return { usual, uncached };
}
