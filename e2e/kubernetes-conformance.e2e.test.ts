import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '#kit/std';
import { clustersUnavailable, ownCluster, sharedCluster } from '#testing/clusters';
import { APPLYING } from './kubernetes-conformance/applying.ts';
import { ENDURING } from './kubernetes-conformance/enduring.ts';
import { OWNING } from './kubernetes-conformance/owning.ts';
import { Rig } from './kubernetes-conformance/rig.ts';
import type { Scenario } from './kubernetes-conformance/scenario.ts';
import { WATCHING } from './kubernetes-conformance/watching.ts';

const SCENARIO_MS = 240_000;
const SUITES: Readonly<Record<string, readonly Scenario[]>> = { APPLYING, OWNING, WATCHING, ENDURING };
const DAY_MS = 86_400_000;
/** Scenarios must work with a wrong clock; two in three get one. */
const CLOCKS = [systemClock, { now: () => systemClock.now() - DAY_MS }, { now: () => systemClock.now() + DAY_MS }];

const skip = (await clustersUnavailable('nodes')) ?? false;

for (const [name, scenarios] of Object.entries(SUITES)) {
  describe(`a Kubernetes target, ${name.toLowerCase()}`, { skip, concurrency: 4 }, () => {
    for (const [nth, { name: title, own, run }] of scenarios.entries()) {
      it(title, { timeout: SCENARIO_MS }, async (t) => {
        const cluster = own === undefined ? await sharedCluster('nodes', t.signal) : await ownCluster(t, own, t.signal);
        const signal = AbortSignal.any([t.signal, AbortSignal.timeout(SCENARIO_MS)]);
        await run(await Rig.open({ t, cluster, signal, clock: CLOCKS[nth % CLOCKS.length] ?? systemClock }));
      });
    }
  });
}

it('the list of scenarios is long enough', () => {
  assert.ok(Object.values(SUITES).flat().length >= 60);
});
