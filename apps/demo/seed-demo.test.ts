import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { demoTargets } from './demo-fleet.ts';
import { type DemoApi, demoState, finishDemo, seedClusters, seedDemo } from './seed-demo.ts';

const SIGNAL = new AbortController().signal;
const DEPLOYMENT = '/v1/workspaces/demo/deployments/hello';
const NAMES = demoTargets().map(({ name }) => name);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Records the calls, and answers as scripted. */
function scriptedApi(answer: (call: Call) => { readonly status: number; readonly body?: unknown }) {
  const calls: Call[] = [];
  const api: DemoApi = async (call) => {
    calls.push(call);
    return { body: {}, ...answer(call) };
  };
  return { api, calls, said: () => calls.map(({ method, path }) => `${method} ${path}`) };
}

const madeAtOnce = ({ path }: Call) => ({ status: path.endsWith(':bind') ? 200 : 201 });

suite('the demo is made', () => {
  test('from the workspace to the deployment, and each target is bound once it is there', async () => {
    const { api, calls, said } = scriptedApi(madeAtOnce);
    await seedDemo(api, SIGNAL);
    assert.deepEqual(said(), [
      'POST /v1/workspaces',
      ...NAMES.flatMap(() => ['POST /v1/targets', 'POST /v1/fleetlets/platform:bind']),
      'POST /v1/workspaces/demo/deployments',
    ]);
    const bound = calls.filter(({ path }) => path.endsWith(':bind')).map(({ body }) => body);
    assert.deepEqual(
      bound,
      NAMES.map((target) => ({ target })),
    );
    assert.partialDeepStrictEqual(calls[0]?.body, { name: 'demo', labels: { demo: 'seeding' } });
  });

  test('over what an earlier start had made of it', async () => {
    const { api, said } = scriptedApi(({ path }) => ({ status: path.endsWith(':bind') ? 200 : 409 }));
    await seedDemo(api, SIGNAL);
    assert.equal(said().at(-1), 'POST /v1/workspaces/demo/deployments');
  });

  test('no further than the first refusal', async () => {
    const { api, said } = scriptedApi((call) => (call.path === '/v1/targets' ? { status: 403 } : madeAtOnce(call)));
    await assert.rejects(seedDemo(api, SIGNAL));
    assert.deepEqual(said(), ['POST /v1/workspaces', 'POST /v1/targets']);
  });
});

suite('the demo is finished', () => {
  test('once every target has it: stages from then on, and only then the word that it is made', async () => {
    let looks = 0;
    const { api, calls, said } = scriptedApi(({ method }) => {
      if (method !== 'GET') return { status: 200 };
      looks += 1;
      return { status: 200, body: { status: { counts: { available: looks < 2 ? NAMES.length - 1 : NAMES.length } } } };
    });
    await finishDemo(api, SIGNAL);
    assert.deepEqual(said(), [
      `GET ${DEPLOYMENT}`,
      `GET ${DEPLOYMENT}`,
      `PATCH ${DEPLOYMENT}`,
      'PATCH /v1/workspaces/demo',
    ]);
    assert.partialDeepStrictEqual(calls[2]?.body, { rollout: { type: 'staged' } });
    assert.deepEqual(calls[3]?.body, { labels: { demo: 'made' } });
  });

  test('not when it is told to stop meanwhile', async () => {
    const stop = new AbortController();
    const { api } = scriptedApi(() => {
      stop.abort();
      return { status: 200, body: {} };
    });
    await assert.rejects(finishDemo(api, stop.signal));
  });
});

suite('clusters are added', () => {
  const path = '/v1/workspaces/demo-kubernetes';
  const seeded = (label: string, call: Call) =>
    call.method === 'GET'
      ? { status: 200, body: { labels: { demo: label } } }
      : {
          status:
            call.path === '/v1/workspaces' && label === 'made'
              ? 409
              : call.method === 'PATCH' || call.path.endsWith(':bind')
                ? 200
                : 201,
        };

  test('in a workspace of their own, with something on them', async () => {
    const { api, said } = scriptedApi((call) => seeded('seeding', call));
    await seedClusters(api, 2, SIGNAL);
    assert.deepEqual(said(), [
      'POST /v1/workspaces',
      ...['eu-kube', 'us-kube'].flatMap(() => ['POST /v1/targets', 'POST /v1/fleetlets/platform:bind']),
      `GET ${path}`,
      `POST ${path}/deployments`,
      `PATCH ${path}`,
    ]);
  });

  test('at the next start as many as there are then, and what somebody deleted stays so', async () => {
    const { api, said, calls } = scriptedApi((call) => seeded('made', call));
    await seedClusters(api, 4, SIGNAL);
    assert.equal(said().at(-1), `GET ${path}`);
    const names = calls.flatMap(({ path: at, body }) =>
      at === '/v1/targets' ? [(body as { name: string }).name] : [],
    );
    assert.deepEqual(names, ['eu-kube', 'us-kube', 'ap-kube', 'eu-kube-2']);
  });
});

suite('what is there already', () => {
  for (const { why, demo, others = [], targets = [], want } of [
    { why: 'nothing', want: 'none' },
    { why: 'a demo that was cut off', demo: { labels: { demo: 'seeding' } }, want: 'begun' },
    {
      why: 'a whole demo, and much beside it',
      demo: { labels: { demo: 'made' } },
      others: ['a', 'b', 'c'],
      want: 'made',
    },
    { why: "somebody's own workspace of that name", demo: {}, want: 'foreign' },
    { why: 'a workspace of somebody', others: ['shop'], want: 'foreign' },
    { why: 'a target of somebody', targets: ['edge-1'], want: 'foreign' },
  ]) {
    test(`${why}: ${want}`, async () => {
      const { api } = scriptedApi(({ path }) => {
        if (path === '/v1/workspaces/demo') return demo ? { status: 200, body: demo } : { status: 404 };
        const names = path.startsWith('/v1/workspaces?') ? ['root', ...others] : targets;
        return { status: 200, body: { items: names.map((name) => ({ name })) } };
      });
      assert.equal(await demoState(api, SIGNAL), want);
    });
  }

  test('is not guessed at when nobody says', async () => {
    const { api } = scriptedApi(() => ({ status: 503, body: { detail: 'later' } }));
    await assert.rejects(demoState(api, SIGNAL), /503/);
  });
});
