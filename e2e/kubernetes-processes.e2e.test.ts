import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeliveryAgent } from '#contexts/delivery';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { allow, deny } from '#kit/kube/webhooks';
import { sleep, type Uuid, uuidv7 } from '#kit/std';
import type { DeliverOrder, DeliveryOrder } from '#protocol/delivery';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { seededRandom, testSeed } from '#testing/seeded';
import { aDocument } from '../contexts/delivery/testing/an-order.ts';
import {
  CONTRACT_DEPLOYMENTS,
  deliveryAgentContract,
  type OpenedAgent,
} from '../contexts/delivery/testing/delivery-agent-contract.ts';
import type { RecordingReports } from '../contexts/delivery/testing/recording-reports.ts';
import { AgentProcesses, PROCESSES, TARGET } from './kubernetes-processes/agent-processes.ts';
import { aJudge } from './kubernetes-processes/judge.ts';

/** Foreground deletion is completed by a controller. */
const size = 'controllers';
const KILLS = 8;
const LONGEST_MS = 250;

/** One fleetlet and one agent serve all tests: each has deployments and a namespace of its own. */
describe('a Kubernetes agent and its fleetlet, as processes', {
  skip: (await clustersUnavailable(size)) ?? false,
}, () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let cluster: TestCluster;
  let client: KubeClient;
  let processes: AgentProcesses;
  let kills = 0;
  /** Fleetlets that the agent has lost. */
  let cuts = 0;

  before(async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    cluster = await sharedCluster(size, signal);
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    processes = await AgentProcesses.open(cluster, signal);
  });

  after(async () => {
    await processes.close();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const resource = await client.discovery.resourceFor('v1', 'Namespace', signal);
    await client.delete({ resource, name: processes.home }, {}, signal).catch(() => {});
    for (const clean of cleanups.toReversed()) await clean();
    await client.close();
  });

  /** Each time another one. */
  async function killOne(): Promise<void> {
    kills += 1;
    await processes.kill(PROCESSES[kills % PROCESSES.length] ?? 'agent');
  }

  /** An agent that lost fleetlet after fleetlet waits longer each time before it connects to the next. */
  async function renewAgent(): Promise<void> {
    const reports = processes.reports.listen(new Map());
    await processes.kill('agent');
    await reports.until(({ kind }) => kind === 'inventory', AbortSignal.timeout(PATIENCE_MS));
    cuts = 0;
  }

  async function open(): Promise<OpenedAgent & { readonly namespace: string }> {
    if (cuts > 0) await renewAgent();
    const namespace = await cluster.namespace({ after: (body) => cleanups.push(async () => await body()) });
    const uids = new Map(CONTRACT_DEPLOYMENTS.map((uid) => [uid, uuidv7()]));
    const reports = processes.reports.listen(new Map([...uids].map(([known, own]) => [own, known])));
    const map = (name: string) => ({ ...aDocument(name, { a: '1' }), metadata: { name, namespace } });
    const stringData = { token: 'hush' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'two', namespace }, stringData };
    return {
      namespace,
      agent: withUids(processes.agent, uids),
      target: TARGET,
      reports,
      contents: [[map('one')], [map('two'), secret]],
      // The connection of the target ends with the fleetlet.
      reconnect: async () => {
        cuts += 1;
        await processes.kill('fleetlet');
        await reports.until(({ kind }) => kind === 'inventory', AbortSignal.timeout(PATIENCE_MS));
      },
      close: async () => assert.deepEqual(processes.reports.errors, []),
    };
  }

  deliveryAgentContract('kubernetes, in a process behind a fleetlet', {
    open,
    skip: [
      {
        test: 'says after a reconnect what it has, before anything else',
        reason: 'a report comes again first if the fleetlet was killed before it passed the acknowledgement on',
      },
    ],
  });

  it('carries out what it accepted, and nothing older, whenever one of them is killed', async (t) => {
    const random = seededRandom(testSeed());
    const { agent, reports, contents } = await open();
    const [deployment] = CONTRACT_DEPLOYMENTS;
    for (let revision = 1; revision <= KILLS; revision += 1) {
      const order = orderOf(deployment, revision, contents[revision % 2 === 0 ? 0 : 1]);
      const killed = sleep(random.integer(0, LONGEST_MS), t.signal).then(killOne);
      const [answer] = await Promise.all([agent.dispatch(order, t.signal), killed]);
      assert.equal(answer.kind, 'accepted');
      // In a report, or in the inventory after the kill.
      await reports.until((each) => isApplied(each, order), t.signal);
      if (revision > 1) {
        const older = orderOf(deployment, revision - 1, contents[0]);
        assert.deepEqual(await agent.dispatch(older, t.signal), { kind: 'fenced', seen: revision });
      }
    }
  });

  it('tells what an admission webhook rejects, and goes on when the webhook lets it, across a kill', async (t) => {
    const { agent, reports, contents, namespace } = await open();
    const judge = await aJudge(client, namespace, t.signal);
    try {
      const [deployment] = CONTRACT_DEPLOYMENTS;
      judge.rule(() => deny('not on a Friday'));
      await agent.dispatch(orderOf(deployment, 1, contents[0]), t.signal);
      const refused = await reports.until(({ kind }) => kind === 'rejected' || kind === 'failed', t.signal);
      assert.match(JSON.stringify(refused), /not on a Friday/);

      // Both are killed while the webhook decides.
      const asked = Promise.withResolvers<void>();
      const decided = Promise.withResolvers<void>();
      judge.rule(async () => {
        asked.resolve();
        await decided.promise;
        return allow();
      });
      const order = orderOf(deployment, 2, contents[0]);
      await agent.dispatch(order, t.signal);
      await asked.promise;
      for (const name of PROCESSES) await processes.kill(name);
      decided.resolve();
      await reports.until((each) => isApplied(each, order), t.signal);
    } finally {
      await judge.close();
    }
  });
});

type Reported = ReturnType<RecordingReports['all']>[number];

function isApplied(each: Reported, { deployment, revision, hash }: DeliverOrder): boolean {
  if (each.kind === 'applied') return each.deployment === deployment && each.revision === revision;
  if (each.kind !== 'inventory') return false;
  return each.holdings.some((it) => it.deployment === deployment && it.revision === revision && it.hash === hash);
}

function orderOf(deployment: Uuid, revision: number, documents: DeliverOrder['documents']): DeliverOrder {
  const rules = { healthRules: [], driftPolicy: 'report', secretPlaces: [] } as const;
  return { kind: 'deliver', target: TARGET, deployment, revision, hash: `sha256:${revision}`, documents, ...rules };
}

/** The agent knows the deployments of each test by uids of their own. */
function withUids(agent: DeliveryAgent, uids: ReadonlyMap<Uuid, Uuid>): DeliveryAgent {
  const own = <T extends { readonly deployment: Uuid }>(order: T): T => ({
    ...order,
    deployment: uids.get(order.deployment) ?? order.deployment,
  });
  return {
    dispatch: (order: DeliveryOrder, signal) => agent.dispatch(own(order), signal),
    cancel: (order, signal) => agent.cancel(own(order), signal),
    preview: (order, signal) => agent.preview(own(order), signal),
  };
}
