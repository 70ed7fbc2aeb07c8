import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { fuzzPlatform, soak } from './openapi-fuzz.soak.ts';

/**
 * What no request by itself gets through to: there is no workflow yet, no issuer that answers, and a code, a token or a key to
 * be guessed.
 */
const OUT_OF_REACH = ['/v1/workflows/', '/v1/login/callback', '/v1/login:redeem', '/v1/enroll'];

/** And what a schema alone cannot make: a manifest, a placement and a rollout that make sense, a group, or a certain moment. */
const BEYOND_SCHEMAS = [
  'createDeployment',
  'previewNewDeployment',
  'rollbackDeployment',
  'abandonDeployment',
  'confirmDeploymentRemoval',
  'getDeploymentGroup',
  // They take a cluster, and a kubeconfig that was left for it.
  'putTargetKubeconfig',
  'getTargetKubeconfig',
  'deleteTargetKubeconfig',
  // An issuer that is configured, and a target that takes its tokens.
  'getTargetPassthrough',
  // An agent that says that it is ahead.
  'acceptDeploymentRevision',
  // Kinds and fields whose names are all different, on the root or in a workspace that is there.
  'putIndexSchema',
  'getIndexSchema',
  'deleteIndexSchema',
  'putWorkspaceIndexSchema',
  'getWorkspaceIndexSchema',
  'deleteWorkspaceIndexSchema',
  // Whoever is logged in came by a code that nobody guesses; other operations may end that session first.
  'deleteSession',
  // Nobody has enrolled but the one that is built in, and that stays.
  'revokeFleetlet',
  'deleteFleetlet',
];

/** The same seed gets the same answers from both; the second is asked less, to find what only it takes amiss. */
const COUNTS: Readonly<Record<Engine, number>> = { sqlite: soak.defaultCount, postgres: soak.defaultCount * 0.3 };

describe('requests generated from the description of the API', () => {
  for (const engine of DATABASES) {
    it(`get no 5xx and no answer outside its schema, on ${engine}`, async (t) => {
      const size = { count: COUNTS[engine], seed: testSeed() };
      const { operations, statuses } = await fuzzPlatform(engine, quietly(size, t.signal));
      // A generator that does not get through to anything would find nothing wrong either; a few requests do not get everywhere.
      if (size.count < soak.defaultCount) return;
      const refused = operations.filter(({ id, path }) => {
        const seen = [...(statuses.get(id)?.keys() ?? [])];
        const isReachable = !OUT_OF_REACH.some((start) => path.startsWith(start)) && !BEYOND_SCHEMAS.includes(id);
        return isReachable && !seen.some((status) => status < 400);
      });
      assert.deepEqual(
        refused.map(({ id }) => id),
        [],
      );
    });
  }
});
