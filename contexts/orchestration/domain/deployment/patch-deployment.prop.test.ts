import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#kit/std';
import { contentHash, parseResourceName, sortedLabels } from '#kit/std';
import { uidOf } from '../../testing/deployment-api.ts';
import { type DeploymentDraft, draftOf, newDeployment, specOf } from './deployment-draft.ts';
import { type DeploymentPatch, patchedDraft, redrafted } from './patch-deployment.ts';
import { maskSpec, sealSpec, specReferences, unsealSpec } from './sealed-spec.ts';
import { SPEC_AXES } from './trigger.ts';

const fingerprint = (secret: string) => contentHash(`keyed:${secret}`);
const SECRET = 'hunter2';

const leaf = fc.constantFrom<JsonObject[string]>('a', 1, true, { $secret: SECRET }, { $secret: 'other' }, [
  'x',
  { $secret: SECRET },
]);
const values = fc.dictionary(
  fc.constantFrom('a', 'b', '$secretRef', '__proto__'),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom('c', 'd'), leaf)),
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;
const kubernetesSecret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: SECRET } };
const manifest = fc.oneof(
  values.map((its) => ({ type: 'template', documents: [{ text: '${values.a}' }], values: its })),
  fc.subarray([kubernetesSecret, { kind: 'Note' }]).map((documents) => ({ type: 'inline', documents })),
);
const placement = fc.constantFrom([{ type: 'all' }], [{ type: 'selector', matchLabels: { a: 'b' } }]);
const rollout = fc.constantFrom(
  { type: 'immediate' },
  { type: 'rolling', batchSize: 1 },
  { type: 'immediate', maxFailures: 2 },
);
const draft: fc.Arbitrary<DeploymentDraft> = fc.record(
  {
    manifest,
    placement,
    rollout,
    config: values,
    labels: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2')),
    driftPolicy: fc.constantFrom('report' as const, 'repair' as const),
    rolloutState: fc.constantFrom('running' as const, 'paused' as const),
  },
  { requiredKeys: ['manifest', 'placement'] },
);
const patch = fc.oneof(
  fc.constant<DeploymentPatch>({}),
  fc.record<DeploymentPatch>({ config: fc.oneof(values, fc.constant(null)) }),
  fc.record<DeploymentPatch>({ manifest }),
  fc.record<DeploymentPatch>({ placement, rollout: fc.constantFrom({ maxFailures: 1 }, { type: 'immediate' }, null) }),
  fc.record<DeploymentPatch>({
    labels: fc.constantFrom({ x: null }, { x: '3' }, null),
    driftPolicy: fc.constant(null),
  }),
  fc.record<DeploymentPatch>({ rolloutState: fc.constantFrom('running', 'paused') }),
);

const founding = {
  uid: uidOf(1),
  name: parseResourceName('web'),
  workspace: { name: parseResourceName('emea'), path: '/root/emea/' },
  owner: undefined,
  fingerprint,
  now: 1_000,
};

test('a patch says exactly which axes it touched, and the same patch again changes nothing', () => {
  fc.assert(
    fc.property(draft, patch, (its, change) => {
      const { deployment, secrets } = newDeployment(its, founding);
      const wanted = patchedDraft(draftOf(deployment, unsealSpec(deployment.spec, secrets)), change);
      const first = redrafted(deployment, wanted, { fingerprint, now: 2_000 });
      const touched = SPEC_AXES.filter((axis) => fieldsOf(first.deployment, axis) !== fieldsOf(deployment, axis));
      assert.deepEqual(first.axes, touched);
      assert.equal(first.deployment.generation, touched.length > 0 ? 2 : 1);
      const { uid, name, workspace, createTime, revision } = deployment;
      assert.partialDeepStrictEqual(first.deployment, { uid, name, workspace, createTime, revision });
      const again = patchedDraft(
        draftOf(first.deployment, unsealSpec(first.deployment.spec, { ...secrets, ...first.secrets })),
        change,
      );
      const second = redrafted(first.deployment, again, { fingerprint, now: 3_000 });
      assert.equal(second.deployment, first.deployment);
      assert.deepEqual(second.axes, []);
    }),
    { numRuns: 500 },
  );
});

test('an empty patch leaves the very same value', () => {
  fc.assert(
    fc.property(draft, (its) => {
      const { deployment, secrets } = newDeployment(its, founding);
      const same = patchedDraft(draftOf(deployment, unsealSpec(deployment.spec, secrets)), {});
      assert.equal(redrafted(deployment, same, { fingerprint, now: 2_000 }).deployment, deployment);
    }),
  );
});

test('what is kept of a spec and what people see of it holds no secret; unsealed and sealed again it is the same', () => {
  fc.assert(
    fc.property(draft, (its) => {
      const { spec, secrets } = sealSpec(specOf(its), fingerprint);
      assert.ok(!JSON.stringify([spec, maskSpec(spec)]).includes(SECRET));
      assert.deepEqual(Object.keys(secrets).sort(), [...specReferences(spec)]);
      const again = sealSpec(unsealSpec(spec, secrets), fingerprint);
      assert.deepEqual(again, { spec, secrets });
    }),
    { numRuns: 500 },
  );
});

test('labels are merged, and kept in order', () => {
  const { deployment, secrets } = newDeployment(
    { manifest: { type: 'inline', documents: [] }, labels: { b: '1', a: '1' } },
    founding,
  );
  const next = patchedDraft(draftOf(deployment, unsealSpec(deployment.spec, secrets)), { labels: { c: '1', b: null } });
  assert.deepEqual(next.labels, sortedLabels({ a: '1', c: '1' }));
});

test('secrets that are not kept any more are told, and never taken for nothing', () => {
  const { deployment } = newDeployment({ manifest: { type: 'inline', documents: [kubernetesSecret] } }, founding);
  assert.throws(() => unsealSpec(deployment.spec, {}), { code: 'STORED_DEPLOYMENT_INVALID' });
});

function fieldsOf({ spec }: { spec: ReturnType<typeof specOf> }, axis: (typeof SPEC_AXES)[number]): string {
  const { placement: where, rollout: how, ...rest } = spec;
  return contentHash({ manifest: rest, placement: where, rollout: how }[axis]);
}
