import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type KubeClient, KubeError, type KubeErrorCode } from '#kit/kube';
import { isCrsError } from '../domain/crs-error.ts';
import { KubeWorkloadApi } from './kube-workload-api.ts';

const PASSWORD = 'hunter2-of-the-addon';
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
  data: { encoded: btoa(PASSWORD) },
  stringData: { plain: PASSWORD },
};

/** A cluster that quotes what it refuses, as a webhook may. */
function quoting(code: KubeErrorCode): KubeWorkloadApi {
  const create = async (_ref: unknown, object: object): Promise<never> => {
    const message = `denied: ${JSON.stringify(object)}`;
    throw new KubeError(code, `create: ${message}`, { details: { status: { kind: 'Status', message } } });
  };
  const resourceFor = async () => ({ plural: 'secrets', namespaced: true });
  return new KubeWorkloadApi({ create, discovery: { resourceFor } } as unknown as KubeClient);
}

describe('a cluster that quotes a Secret', () => {
  for (const { why, code, want } of [
    { why: 'refuses it', code: 'FORBIDDEN', want: 'OBJECT_NOT_APPLIED' },
    { why: 'fails at it', code: 'SERVICE_UNAVAILABLE', want: 'CLUSTER_UNREACHABLE' },
  ] as const) {
    it(`is not repeated when it ${why}`, async () => {
      await assert.rejects(quoting(code).create(SECRET, AbortSignal.timeout(1_000)), (error) => {
        assert.ok(isCrsError(error, want));
        assert.match(error.message, /denied: .*\[redacted\]/);
        const words = inspect(error, { depth: 10 });
        assert.ok(!words.includes(PASSWORD) && !words.includes(btoa(PASSWORD)), words);
        return true;
      });
    });
  }
});
