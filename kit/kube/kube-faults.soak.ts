import { ownCluster } from '#testing/clusters';
import { eachCase, type Soak } from '#testing/soak';
import { cacheFaultCase } from './cache/testing/cache-fault-case.ts';
import type { FaultCase } from './cache/testing/fault-stage.ts';
import { controllerFaultCase } from './controller/testing/controller-fault-case.ts';
import { leaderFaultCase } from './leader/testing/leader-fault-case.ts';

/** Three neighbouring seeds have one of each. */
export const FAULT_CASES: readonly ((of: FaultCase) => Promise<unknown>)[] = [
  cacheFaultCase,
  controllerFaultCase,
  leaderFaultCase,
];

export const soak: Soak = {
  description: 'caches, controllers and leaders on a real API server that is cut off, restarted, frozen and forgetful',
  defaultCount: 60,
  async run(options) {
    const cleaning: (() => Promise<void> | void)[] = [];
    const cluster = await ownCluster(
      { after: (clean) => cleaning.push(clean) },
      { size: 'apiserver', name: 'faults' },
      options.signal,
    );
    try {
      await eachCase(options, async ({ seed, random, signal }) => {
        await FAULT_CASES[seed % FAULT_CASES.length]?.({ cluster, random, signal });
      });
    } finally {
      for (const clean of cleaning) await clean();
    }
  },
};
