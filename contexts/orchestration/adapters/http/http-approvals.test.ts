import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ResourceName, Uuid } from '#kit/std';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { Approval } from '../../domain/deployment/approval.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { aDeployment } from '../../testing/a-revision.ts';
import { HistoryApi, NOW } from '../../testing/history-api.ts';

const signal = new AbortController().signal;
const EMEA = '/v1/workspaces/emea';
const uidOf = (number: number) => `00000000-0000-7000-8000-0000000000a${number}` as Uuid;
const WEB = aDeployment({ revision: 3, rollout: 3 });

function anApproval(its: Partial<Approval> = {}): Approval {
  return {
    uid: uidOf(1),
    deployment: WEB.uid,
    deploymentName: WEB.name,
    workspace: WEB.workspace,
    revision: 3,
    gate: 'prod/before/0/1',
    step: 'prod',
    requestedBy: 'user:ann',
    requesters: ['user:ann'],
    needsDistinctApprover: false,
    createTime: NOW - 1_000,
    expireTime: undefined,
    state: 'Open',
    answer: undefined,
    version: 1,
    ...its,
  };
}

eachDatabase('approvals', (fresh) => {
  let database: TestDatabase;
  let api: HistoryApi;
  before(async () => {
    database = await fresh();
    api = await HistoryApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });
  beforeEach(async () => await api.clear());

  const given = (deployments: readonly Deployment[], approvals: readonly Approval[]) =>
    api.unit(async (unit) => {
      for (const deployment of deployments) await unit.deployments.insert(deployment, signal);
      for (const approval of approvals) await unit.approvals.insert(approval, signal);
    });
  const posted = () => api.unit((unit) => unit.rollouts.take({ deployment: WEB.uid, revision: 3 }, 10, signal));

  it('shows what a rollout waits for people to say', async () => {
    await given([WEB], [anApproval({ expireTime: NOW + 60_000 })]);
    const { status, body } = await api.send(`GET ${EMEA}/approvals/${uidOf(1)}`);
    assert.equal(status, 200);
    const { etag, ...rest } = body;
    assert.equal(typeof etag, 'string');
    assert.deepEqual(rest, {
      uid: uidOf(1),
      workspace: 'emea',
      deployment: 'web',
      revision: 3,
      gate: 'prod/before/0/1',
      step: 'prod',
      requestedBy: 'user:ann',
      requesters: ['user:ann'],
      needsDistinctApprover: false,
      createTime: '2029-12-31T23:59:59.000Z',
      expireTime: '2030-01-01T00:01:00.000Z',
      state: 'Open',
    });
  });

  it('is the answer, what the rollout is told, and the waking of its pipeline, all in one', async () => {
    await given([WEB], [anApproval()]);
    const { status, body } = await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:approve`, { message: 'fine' }, 'bob');
    assert.equal(status, 200);
    const answer = { by: 'user:bob', time: new Date(NOW).toISOString(), message: 'fine' };
    assert.partialDeepStrictEqual(body, { state: 'Approved', answer });
    assert.deepEqual(await posted(), [
      { kind: 'gateAnswered', gate: 'prod/before/0/1', revision: 3, answer: { kind: 'approved', by: 'user:bob' } },
    ]);
    const [row] = (await api.rowsOf('deployments')) as [{ run: number; news: number }];
    assert.deepEqual([row.run, row.news], [1, 1]);
    const [event] = (await api.rowsOf('outbox')) as [{ type: string; scope: string }];
    assert.deepEqual([event.type, event.scope], ['approval.answered', 'emea']);
  });

  it('rejects with a reason, which the rollout is told', async () => {
    await given([WEB], [anApproval()]);
    assert.equal((await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:reject`, {})).status, 400);
    const { body } = await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:reject`, { message: 'not on a Friday' });
    assert.equal(body['state'], 'Rejected');
    const [told] = await posted();
    assert.partialDeepStrictEqual(told, { answer: { kind: 'rejected', by: 'user:alice', message: 'not on a Friday' } });
  });

  it('leaves nothing behind of a dry run', async () => {
    await given([WEB], [anApproval()]);
    const { body } = await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:approve?dryRun=true`, {});
    assert.equal(body['state'], 'Approved');
    assert.deepEqual(await posted(), []);
    assert.partialDeepStrictEqual((await api.send(`GET ${EMEA}/approvals/${uidOf(1)}`)).body, { state: 'Open' });
  });

  describe('an answer that does not count', () => {
    for (const { why, deployment, approval, as = 'bob', status, code } of [
      {
        why: 'the rollout is another one by now',
        deployment: { rollout: 4 },
        approval: {},
        status: 409,
        code: 'staleApproval',
      },
      {
        why: 'no rollout is under way',
        deployment: { rollout: undefined },
        approval: {},
        status: 409,
        code: 'staleApproval',
      },
      {
        why: 'the rollout does not wait any longer',
        deployment: {},
        approval: { state: 'Closed' },
        status: 409,
        code: 'staleApproval',
      },
      { why: 'it is too late', deployment: {}, approval: { expireTime: NOW }, status: 409, code: 'staleApproval' },
      {
        why: 'whoever asked for the rollout approves it',
        deployment: {},
        approval: { needsDistinctApprover: true },
        as: 'ann',
        status: 403,
        code: 'approverNotDistinct',
      },
    ] as const) {
      it(why, async () => {
        await given([{ ...WEB, ...deployment }], [anApproval(approval)]);
        const answered = await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:approve`, {}, as);
        assert.deepEqual([answered.status, answered.body['code']], [status, code]);
        assert.deepEqual(await posted(), []);
      });
    }

    it('was given already', async () => {
      await given([WEB], [anApproval()]);
      await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:approve`, {});
      const { status, body } = await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:reject`, { message: 'oh no' });
      assert.deepEqual([status, body['code']], [409, 'staleApproval']);
    });

    it('is for another state than the caller has seen', async () => {
      await given([WEB], [anApproval()]);
      const answer = await api.server.inject({
        method: 'POST',
        url: `${EMEA}/approvals/${uidOf(1)}:approve`,
        headers: { authorization: 'Bearer bob', 'content-type': 'application/json', 'if-match': '"other"' },
        payload: '{}',
      });
      assert.equal(answer.statusCode, 412);
    });
  });

  it('lets whoever asked for a rollout reject it, also where somebody else has to approve', async () => {
    await given([WEB], [anApproval({ needsDistinctApprover: true })]);
    assert.equal((await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:reject`, { message: 'wait' }, 'ann')).status, 200);
  });

  describe('an override', () => {
    const distinct = anApproval({ needsDistinctApprover: true, requesters: ['user:ann', 'user:admin'] });
    const byUid = `POST ${EMEA}/approvals/${uidOf(1)}:approve`;
    const byName = `POST ${EMEA}/deployments/web:approve`;

    for (const call of [byUid, byName]) {
      it(`passes a gate for a second person, is told and written down as that: ${call}`, async () => {
        await given([WEB], [distinct]);
        api.audit.length = 0;
        assert.equal((await api.send(call, { override: true }, 'admin')).status, 200);
        const answer = { kind: 'approved', by: 'user:admin', override: true };
        assert.partialDeepStrictEqual(await posted(), [{ answer }]);
        const { body } = await api.send(`GET ${EMEA}/approvals/${uidOf(1)}`);
        assert.partialDeepStrictEqual(body, { state: 'Approved', answer: { by: 'user:admin', override: true } });
        assert.deepEqual(api.audit, ['overrideApproval']);
      });

      it(`is for administrators of the instance alone: ${call}`, async () => {
        await given([WEB], [distinct]);
        api.audit.length = 0;
        for (const as of ['ann', 'bob']) {
          const { status, body } = await api.send(call, { override: true }, as);
          assert.deepEqual([status, body['code']], [403, 'permissionDenied']);
        }
        assert.deepEqual([await posted(), api.audit], [[], []]);
      });
    }

    it('has to be asked for: an administrator who is a requester is none by themselves', async () => {
      await given([WEB], [distinct]);
      for (const body of [{}, { override: false }]) {
        assert.equal((await api.send(byUid, body, 'admin')).body['code'], 'approverNotDistinct');
      }
    });

    it('is not for a rejection', async () => {
      await given([WEB], [distinct]);
      const sent = { message: 'no', override: true };
      assert.equal((await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:reject`, sent, 'admin')).status, 400);
    });

    it('does not revive an approval that nobody waits for', async () => {
      await given([WEB], [{ ...distinct, state: 'Closed' }]);
      assert.equal((await api.send(byUid, { override: true }, 'admin')).body['code'], 'staleApproval');
    });
  });

  it('says so when no one who may approve is eligible, as long as it waits', async () => {
    const isTold = async () => {
      const { body } = await api.send(`GET ${EMEA}/approvals/${uidOf(1)}`);
      const lists = [`GET ${EMEA}/approvals`, 'GET /v1/approvals'].map((call) => api.send(call));
      const listed = (await Promise.all(lists)).map(({ body: { items } }) => (items as (typeof body)[])[0]);
      return [body, ...listed].map((each) => each?.['noEligibleApprover']);
    };
    await given([WEB], [anApproval({ needsDistinctApprover: true })]);
    assert.deepEqual(await isTold(), [undefined, undefined, undefined]);
    api.approvers = ['user:ann'];
    assert.deepEqual(await isTold(), [true, true, true]);
    await api.send(`POST ${EMEA}/approvals/${uidOf(1)}:approve`, { override: true }, 'admin');
    assert.deepEqual(await isTold(), [undefined, undefined, undefined]);
    await api.clear();
    await given([WEB], [anApproval()]);
    assert.deepEqual(await isTold(), [undefined, undefined, undefined], 'the requester may');
    api.approvers = ['user:bob'];
  });

  describe('by the name of the deployment', () => {
    it('answers the one that is open', async () => {
      await given([WEB], [anApproval(), anApproval({ uid: uidOf(2), gate: 'old', state: 'Closed' })]);
      const { status, body } = await api.send(`POST ${EMEA}/deployments/web:approve`, {});
      assert.deepEqual([status, body['name']], [200, 'web']);
      assert.equal((await posted()).length, 1);
    });

    it('is 409 when none is open, or several are, which it names', async () => {
      await given([WEB], []);
      const none = await api.send(`POST ${EMEA}/deployments/web:approve`, {});
      assert.deepEqual([none.status, none.body['code']], [409, 'noOpenApproval']);
      await given([], [anApproval(), anApproval({ uid: uidOf(2), gate: 'another' })]);
      const several = await api.send(`POST ${EMEA}/deployments/web:reject`, { message: 'no' });
      assert.deepEqual([several.status, several.body['code']], [409, 'severalApprovals']);
      assert.deepEqual(several.body['approvals'], [uidOf(1), uidOf(2)]);
    });

    it('is 404 where there is none of that name', async () => {
      assert.equal((await api.send(`POST ${EMEA}/deployments/web:approve`, {})).status, 404);
    });
  });

  it('lists those of a workspace, or all that the caller may see', async () => {
    const at = (name: string, path: string) => ({ name: name as ResourceName, path });
    await given(
      [WEB],
      [
        anApproval(),
        anApproval({ uid: uidOf(2), gate: 'b', workspace: at('shop', '/root/emea/shop/'), state: 'Rejected' }),
        anApproval({ uid: uidOf(3), gate: 'c', workspace: at('apac', '/root/apac/') }),
      ],
    );
    const listed = async (call: string, as?: string) => {
      const { status, body } = await api.send(call, undefined, as);
      assert.equal(status, 200, JSON.stringify(body));
      return (body['items'] as { uid: string }[]).map(({ uid }) => Number(uid.slice(-1)));
    };
    assert.deepEqual(await listed(`GET ${EMEA}/approvals`), [1]);
    assert.deepEqual(await listed('GET /v1/approvals'), [1, 2, 3]);
    assert.deepEqual(await listed('GET /v1/approvals', 'sees.emea'), [1, 2]);
    assert.deepEqual(await listed('GET /v1/approvals', 'sees.shop.apac'), [2, 3]);
    assert.deepEqual(await listed('GET /v1/approvals', 'sees.nowhere'), []);
    assert.deepEqual(await listed(`GET /v1/approvals?filter=${encodeURIComponent('state == "Open"')}`), [1, 3]);
    assert.deepEqual(await listed('GET /v1/approvals?pageSize=2'), [1, 2]);
  });

  it('does not know one of another workspace', async () => {
    await given([WEB], [anApproval()]);
    assert.equal((await api.send(`GET /v1/workspaces/apac/approvals/${uidOf(1)}`)).status, 404);
    assert.equal((await api.send(`POST /v1/workspaces/apac/approvals/${uidOf(1)}:approve`, {})).status, 404);
  });
});
