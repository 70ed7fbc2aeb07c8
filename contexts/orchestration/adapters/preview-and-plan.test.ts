import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { PreviewResource } from '#protocol/api';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { GenerationSlots } from '../application/pipeline/generation/generation-slots.ts';
import { PlanRollout } from '../application/pipeline/plan-rollout.ts';
import { RolloutCache } from '../application/pipeline/rollout-cache.ts';
import type { Deployment } from '../domain/deployment/deployment.ts';
import type { DeploymentPatch } from '../domain/deployment/patch-deployment.ts';
import { createDecide } from '../domain/rollout/machine/decide.ts';
import { aPoolTarget, fixedPool } from '../testing/a-pool.ts';
import { aRolledOutDeployment } from '../testing/a-rolled-out-deployment.ts';
import { fingerprint, HistoryApi, NOW } from '../testing/history-api.ts';
import { builtInRules } from './built-in-rules.ts';

const signal = new AbortController().signal;
const DEPLOYMENTS = '/v1/workspaces/emea/deployments';
const inline = (text: string) => ({ type: 'inline', documents: [{ kind: 'Note', text }] });
const DRAFT = { name: 'web', manifest: inline('one'), placement: [{ type: 'all' }] };
const TARGETS = ['edge-1', 'edge-2', 'till'];

eachDatabase('a preview says what the pipeline then plans', (fresh) => {
  let database: TestDatabase;
  let api: HistoryApi;
  before(async () => {
    database = await fresh();
    api = await HistoryApi.open(database);
    api.pool = fixedPool({ '/root/emea/': TARGETS.map((name) => aPoolTarget(name)) });
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });
  beforeEach(async () => await api.clear());

  const previewed = async (call: string, body: object): Promise<PreviewResource> => {
    const answer = await api.send(`POST ${DEPLOYMENTS}${call}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as unknown as PreviewResource;
  };

  /** The plan that the pipeline really makes: steps with the names of their targets. */
  const planned = async (uid: Deployment['uid']): Promise<unknown> => {
    const strategies = builtInRules();
    const pipeline = new PlanRollout(
      {
        units: api.units,
        strategies,
        router: { dispatch: unused, cancel: unused, preview: unused },
        fingerprint,
        slots: new GenerationSlots(),
        newId: unused as never,
        clock: { now: () => NOW },
        sleep: unused,
        random: () => 0.5,
      },
      new RolloutCache(createDecide(strategies.gates)),
    );
    const next = await pipeline.run({ deployment: uid, run: 1 }, signal);
    assert.equal(next.kind, 'rollout');
    const revision = next.kind === 'rollout' ? next.revision : 0;
    const opening = await api.unit(({ rollouts }) => rollouts.opening({ deployment: uid, revision }, signal));
    const nameOf = (id: TargetId) => opening?.names[id];
    return opening?.start.plan.steps.map(({ name, deliver, remove }) => ({
      name,
      deliver: deliver.map(nameOf),
      remove: remove.map(nameOf),
    }));
  };
  const unused = async (): Promise<never> => {
    throw new TypeError('nobody asks for this');
  };
  const stepsOf = ({ plan }: PreviewResource) =>
    plan?.steps.map(({ name, deliver, remove }) => ({ name, deliver, remove }));

  it('with a new deployment', async () => {
    const draft = { ...DRAFT, rollout: { type: 'rolling', batchSize: 2 } };
    const preview = await previewed(':preview', draft);
    assert.deepEqual(await planned((await api.create(draft)).uid), stepsOf(preview));
  });

  for (const { why, patch } of [
    { why: 'a manifest', patch: { manifest: inline('two') } },
    { why: 'a placement', patch: { placement: [{ type: 'static', targets: ['edge-1', 'till'] }] } },
    {
      why: 'both',
      patch: { manifest: inline('two'), placement: [{ type: 'static', targets: ['till', 'edge-2'] }] },
    },
  ]) {
    it(`with a patch of ${why}`, async () => {
      const { uid, workspace, name } = await aRolledOutDeployment(api, DRAFT, TARGETS);
      const preview = await previewed('/web:preview', patch);
      const command = {
        workspace: workspace.name,
        name,
        patch: patch as unknown as DeploymentPatch,
        precondition: { check: () => {} },
        by: 'user:ann',
        now: NOW,
        mayPlaceLocally: async () => {},
      };
      await api.unit((unit) => api.service.patch(unit, command, signal));
      assert.deepEqual(await planned(uid), stepsOf(preview));
    });
  }
});
