import { describe, it } from 'node:test';
import { capiUnavailable } from '#testing/capi';
import { clustersUnavailable } from '#testing/clusters';
import { compareManagers } from './compare-managers.ts';
import { SCENARIOS } from './scenarios.ts';

const skip = (await clustersUnavailable('controllers')) ?? (await capiUnavailable());

/** Upstream takes a minute on an idle machine. */
const TIMEOUT_MS = 240_000;

describe('ClusterResourceSets', { skip }, () => {
  it("fare with our manager as with Cluster API's, but for what is intended", { timeout: TIMEOUT_MS }, async (t) => {
    const scenarios = SCENARIOS.filter(({ slow }) => slow !== true);
    await compareManagers({ scenarios, progress: () => {} }, t.signal);
  });
});
