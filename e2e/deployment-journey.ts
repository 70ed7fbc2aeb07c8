import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Engine } from '#kit/storage';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';
import { SIMULATED } from '#testing/product';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { followEvents } from './follow-events.ts';

const DEPLOYMENT = '/v1/workspaces/shop/deployments/web';

export interface JourneyOptions {
  readonly engine: Engine;
  readonly flags?: readonly string[];
  readonly program?: URL;
}

interface Deployment {
  readonly revision: number;
  readonly reconciling: boolean;
  readonly manifest: { readonly documents: readonly { readonly text?: string }[] };
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly status: {
    readonly counts: { readonly placed: number; readonly available: number };
    readonly rollout?: {
      readonly revision: number;
      readonly phase: string;
      readonly outcome?: string;
      readonly waits: readonly {
        readonly kind: string;
        readonly targets?: readonly string[];
        readonly unblock: string;
      }[];
    };
  };
}

const manifestSaying = (text: string) => ({ type: 'inline', documents: [{ kind: 'Note', text }] });

/** The stories of one deployment, one after the other, on a real platform with a simulated fleet. */
export function deploymentJourney(
  on: string,
  { engine, flags = [], program = pathToFileURL(SIMULATED) }: JourneyOptions,
): void {
  describe(`deployments on ${on}`, () => {
    let home: PlatformHome;
    let platform: Platform;
    before(async () => {
      home = await platformHome(engine);
      platform = await home.start({ program, flags });
      await asked('POST', '/v1/workspaces', { name: 'shop' });
      for (const name of ['one', 'two', 'three']) await addTarget(name, 'simulated', { env: 'prod' });
      await addTarget('later', 'simulated', { env: 'test' });
      // No agent serves this target.
      await addTarget('dark', 'directory', { env: 'test' });
    });
    after(() => home.dispose());

    const asked = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const answer = await platform.request(path, { method, ...(body === undefined ? {} : { body }) });
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    };
    const addTarget = (name: string, type: string, labels: object) =>
      asked('POST', '/v1/targets', { name, type, workspace: 'shop', labels });
    const relabel = (name: string, env: string) => asked('PATCH', `/v1/targets/${name}`, { labels: { env } });
    /** The types of the deployment's events, up to the first of this type. */
    const toldUntil = async (last: string): Promise<string[]> => {
      const told: string[] = [];
      for await (const { type, subject } of followEvents(platform, '?from=beginning')) {
        if (subject === 'workspaces/shop/deployments/web') told.push(type);
        if (told.at(-1) === last) break;
      }
      return told;
    };
    const until = async (what: string, isSo: (deployment: Deployment) => boolean): Promise<Deployment> => {
      let last: Deployment | undefined;
      const found = async () => {
        last = (await asked('GET', DEPLOYMENT)) as unknown as Deployment;
        return isSo(last) ? last : undefined;
      };
      return await eventually(what, found).catch((cause: unknown) => {
        throw new Error(`${what}; it is ${JSON.stringify(last, null, 1)}\n${platform.said().slice(-5_000)}`, { cause });
      });
    };
    const succeeded = (revision: number) => (deployment: Deployment) =>
      deployment.status.rollout?.revision === revision &&
      deployment.status.rollout.outcome === 'Succeeded' &&
      !deployment.reconciling;

    it('reach every target that they select', async () => {
      await asked('POST', '/v1/workspaces/shop/deployments', {
        name: 'web',
        manifest: manifestSaying('first'),
        placement: [{ type: 'selector', matchLabels: { env: 'prod' } }],
        rollout: { type: 'immediate' },
      });
      const { status, conditions } = await until('the first rollout to succeed', succeeded(1));
      assert.deepEqual([status.counts.placed, status.counts.available], [3, 3]);
      assert.equal(conditions.find(({ type }) => type === 'Available')?.status, 'True');
    });

    it('tell of it as it happens', async () => {
      const told = await toldUntil('rollout.finished');
      for (const type of ['deployment.created', 'rollout.planned', 'delivery.changed', 'deployment.statusChanged']) {
        assert.ok(told.includes(type), `${type} is not among ${told.join(', ')}`);
      }
    });

    it('reach a target that is relabelled into them', async () => {
      await relabel('later', 'prod');
      const { status } = await until('the target that joined to have it', succeeded(2));
      assert.deepEqual([status.counts.placed, status.counts.available], [4, 4]);
    });

    it('name the target that they wait for, and let it go when it is relabelled again', async () => {
      await relabel('dark', 'prod');
      const waiting = await until('the offline target to be named', ({ status }) =>
        (status.rollout?.waits ?? []).some(({ targets }) => targets?.includes('dark') === true),
      );
      assert.equal(waiting.status.counts.available, 4);
      await relabel('dark', 'test');
      const { status } = await until('the target to be gone', (deployment) => {
        return deployment.status.counts.placed === 4 && !deployment.reconciling;
      });
      assert.equal(status.counts.available, 4);
    });

    it('wait at a gate until somebody approves, whatever becomes of the process', async () => {
      const before = (await asked('GET', DEPLOYMENT)) as unknown as Deployment;
      await asked('PATCH', DEPLOYMENT, {
        manifest: manifestSaying('second'),
        rollout: {
          type: 'staged',
          stages: [{ name: 'prod', selector: { matchLabels: { env: 'prod' } }, beforeTasks: [{ type: 'approval' }] }],
        },
      });
      await until('the gate to be waited for', ({ status }) =>
        (status.rollout?.waits ?? []).some((wait) => wait.kind === 'gate'),
      );
      const { items } = (await asked('GET', '/v1/workspaces/shop/approvals')) as unknown as {
        items: { uid: string; state: string; revision: number }[];
      };
      const open = items.find(({ state }) => state === 'Open') ?? assert.fail('nobody is asked to approve');
      assert.ok(open.revision > before.revision);
      await platform.kill();
      platform = await home.start({ program, flags });
      await asked('POST', `/v1/workspaces/shop/approvals/${open.uid}:approve`, { message: 'fine' });
      const { status } = await until('the approved rollout to succeed', succeeded(open.revision));
      assert.equal(status.counts.available, 4);
    });

    it('go back to what an earlier revision delivered', async () => {
      const { revision } = (await asked('GET', DEPLOYMENT)) as unknown as Deployment;
      await asked('POST', `${DEPLOYMENT}:rollback`, { revision: 1 });
      const { manifest } = await until('the rollback to succeed', succeeded(revision + 1));
      assert.equal(manifest.documents[0]?.text, 'first');
      const { items } = (await asked('GET', `${DEPLOYMENT}/targets`)) as unknown as {
        items: { applied?: { hash: string } }[];
      };
      assert.equal(new Set(items.map(({ applied }) => applied?.hash)).size, 1);
    });

    it('go off their targets when they are deleted', async () => {
      assert.equal((await platform.request('/v1/workspaces/shop', { method: 'DELETE' })).status, 409);
      await asked('DELETE', DEPLOYMENT);
      await eventually('it to be gone', async () => (await platform.request(DEPLOYMENT)).status === 404);
      assert.ok((await toldUntil('deployment.deleted')).includes('deployment.deleting'));
    });

    it('are in the usage of their workspace', async () => {
      // A stop writes what was counted.
      await platform.stop();
      platform = await home.start({ program, flags });
      const { items } = (await asked('GET', '/v1/usage?workspace=shop')) as unknown as {
        items: { deliveries: number }[];
      };
      const deliveries = items.reduce((sum, day) => sum + day.deliveries, 0);
      assert.ok(deliveries >= 8, `the rollback and the removal reached four targets each: ${deliveries}`);
    });
  });
}
