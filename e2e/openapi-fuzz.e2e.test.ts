import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import type { Operation } from '#testing/openapi/api-description';
import { testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { fuzzPlatform, soak } from './openapi-fuzz.soak.ts';

/**
 * Paths that no single request can get through to: there is no workflow yet, no issuer that answers, and codes, tokens
 * and keys would have to be guessed.
 */
const OUT_OF_REACH = ['/v1/workflows/', '/v1/login/callback', '/v1/login:redeem', '/v1/enroll'];

/**
 * Operations that need more than a schema can generate: a sensible manifest, placement and rollout, a group, or a certain
 * moment.
 */
const BEYOND_SCHEMAS = [
  'createDeployment',
  'previewNewDeployment',
  'rollbackDeployment',
  'abandonDeployment',
  'confirmDeploymentRemoval',
  'getDeploymentGroup',
  // They need a cluster, and a kubeconfig stored for it.
  'putTargetKubeconfig',
  'getTargetKubeconfig',
  'deleteTargetKubeconfig',
  // They need a configured issuer, and a target that accepts its tokens.
  'putTargetPassthrough',
  'getTargetPassthrough',
  'deleteTargetPassthrough',
  // They need two targets that claim one cluster.
  'mergeTarget',
  'reidentifyTarget',
  // They need a message of an agent that can never be processed.
  'getDeadLetter',
  'discardDeadLetter',
  'replayDeadLetter',
  // Needs a platform that was restored from a backup.
  'acceptRestore',
  // Needs an agent that reports a later revision.
  'acceptDeploymentRevision',
  // Need kinds and fields with distinct names, on the root or in an existing workspace.
  'putIndexSchema',
  'getIndexSchema',
  'deleteIndexSchema',
  'putWorkspaceIndexSchema',
  'getWorkspaceIndexSchema',
  'deleteWorkspaceIndexSchema',
  // Needs a session, which comes from a code that cannot be guessed; other operations may end that session first.
  'deleteSession',
  // Only the built-in fleetlet is enrolled, and that one cannot be revoked.
  'revokeFleetlet',
  'deleteFleetlet',
];

function isReachable({ id, path }: Operation): boolean {
  return !OUT_OF_REACH.some((start) => path.startsWith(start)) && !BEYOND_SCHEMAS.includes(id);
}

/** The same seed gets the same answers from both engines. Postgres gets fewer requests, enough to find faults of its own. */
const COUNTS: Readonly<Record<Engine, number>> = { sqlite: soak.defaultCount, postgres: soak.defaultCount * 0.3 };

describe('requests generated from the description of the API', () => {
  for (const engine of DATABASES) {
    it(`get no 5xx and no answer outside its schema, on ${engine}`, async (t) => {
      const size = { count: COUNTS[engine], seed: testSeed() };
      const { operations, statuses } = await fuzzPlatform(engine, { ...quietly(size, t.signal), isReachable });
      // A generator whose requests never got through would find no faults either. A small number of requests does not get
      // everywhere.
      if (size.count < soak.defaultCount) return;
      const refused = operations.filter((operation) => {
        const seen = [...(statuses.get(operation.id)?.keys() ?? [])];
        return isReachable(operation) && !seen.some((status) => status < 400);
      });
      assert.deepEqual(
        refused.map(({ id }) => id),
        [],
      );
    });
  }
});
