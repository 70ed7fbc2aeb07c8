import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { DeploymentSchema } from '#protocol/api';
import { lookAgainMs } from '#testing/look-again';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform } from '#testing/platform-process';

type Deployment = Static<typeof DeploymentSchema>;

const IDLE_LOOK_MS = 250;
const AT_ONCE = 10;

/** The API requests of a person working with the deployments of one workspace. */
export class DeploymentClient {
  readonly #platform: Platform;
  readonly #workspace: string;

  constructor(platform: Platform, workspace: string) {
    this.#platform = platform;
    this.#workspace = workspace;
  }

  async asked(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.#platform.request(path, { method, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** Creates the workspace and simulated targets in it. */
  async settle(targets: readonly { readonly name: string; readonly labels: object }[]): Promise<void> {
    await this.asked('POST', '/v1/workspaces', { name: this.#workspace });
    const common = { type: 'simulated', workspace: this.#workspace };
    await inParallel(targets, (target) => this.asked('POST', '/v1/targets', { ...target, ...common }));
  }

  async create(drafts: readonly object[]): Promise<void> {
    await inParallel(drafts, (draft) => this.asked('POST', this.#path(''), draft));
  }

  async get(name: string): Promise<Deployment> {
    return (await this.asked('GET', this.#path(`/${name}`))) as unknown as Deployment;
  }

  async patch(name: string, body: object): Promise<Deployment> {
    return (await this.asked('PATCH', this.#path(`/${name}`), body)) as unknown as Deployment;
  }

  /** Calls a custom method such as `:pause`. */
  async steer(name: string, verb: string, body?: object): Promise<void> {
    await this.asked('POST', this.#path(`/${name}${verb}`), body);
  }

  async list(name: string, what: string): Promise<readonly Record<string, unknown>[]> {
    const { items } = await this.asked('GET', this.#path(`/${name}/${what}`));
    return items as Record<string, unknown>[];
  }

  async until(name: string, what: string, isSo: (deployment: Deployment) => boolean): Promise<Deployment> {
    const begun = performance.now();
    for (;;) {
      const deployment = await this.get(name);
      if (isSo(deployment)) return deployment;
      if (performance.now() - begun > PATIENCE_MS) {
        const said = this.#platform.said().slice(-3_000);
        throw new Error(`${what} of ${name}; it is ${JSON.stringify(deployment, null, 1)}\n${said}`);
      }
      await delay(lookAgainMs(begun));
    }
  }

  /** Waits until the rollout of this revision has succeeded and the deployment is idle. */
  async succeeded(name: string, revision: number): Promise<Deployment> {
    return await this.until(name, `success of revision ${revision}`, ({ status: { rollout }, reconciling }) => {
      return rollout?.revision === revision && rollout.outcome === 'Succeeded' && !reconciling;
    });
  }

  /** Waits until no workflow is open. */
  async untilIdle(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { items } = (await this.asked('GET', '/v1/workflows?status=running&pageSize=3')) as {
        items: { id: string }[];
      };
      const [first] = items;
      if (first === undefined) return;
      if (performance.now() > deadline) {
        const { items: all } = (await this.asked('GET', '/v1/deployments?pageSize=1000')) as { items: Deployment[] };
        const whose = all.find(({ uid }) => first.id.includes(uid));
        const status = JSON.stringify(whose?.status, null, 1);
        throw new Error(`open workflows: ${JSON.stringify(items)}; the first is of ${whose?.name}: ${status}`);
      }
      await delay(IDLE_LOOK_MS);
    }
  }

  #path(rest: string): string {
    return `/v1/workspaces/${this.#workspace}/deployments${rest}`;
  }
}

export function saying(text: string) {
  const metadata = { name: 'note', namespace: 'default' };
  return { type: 'inline', documents: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } }] };
}

async function inParallel<T>(items: readonly T[], each: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await each(item);
    }),
  );
}
