import assert from 'node:assert/strict';
import type { Platform } from '#testing/platform-process';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';

/** The parts of a response that a test inspects. */
interface Answer {
  readonly token: string;
  readonly state: string;
  readonly message?: string;
  readonly targets: readonly unknown[];
  readonly items: readonly { readonly operation: string }[];
  readonly connection: { readonly state: string };
  readonly status: { readonly counts: { readonly available: number } };
}

/** A platform, as used by a client that deploys a note to clusters. */
export class FleetApi {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async ask<T = Answer>(what: string, body?: object, want?: number): Promise<T> {
    const [method = 'GET', path = '/'] = what.split(' ');
    const answer = await this.#platform.request(path, { method, ...(body && { body }) });
    const text = await answer.text();
    if (want !== undefined) assert.equal(answer.status, want, `${what}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** Starts with a canary. */
  async deploy(name: string, namespace: string, text: string): Promise<void> {
    const documents = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace }, data: { text } }];
    const spec = {
      manifest: { type: 'inline', documents },
      placement: [{ type: 'selector', matchLabels: { fleet: 'proxied' } }],
      rollout: { type: 'staged', stages: [{ name: 'canary', selector: { matchLabels: { ring: 'canary' } } }] },
    };
    await this.ask('POST /v1/workspaces/root/deployments', { name, ...spec }, 201);
  }

  async change(name: string, namespace: string, text: string): Promise<void> {
    const documents = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace }, data: { text } }];
    await this.ask(`PATCH /v1/workspaces/root/deployments/${name}`, { manifest: { type: 'inline', documents } }, 200);
  }

  async available(name: string, count: number): Promise<void> {
    let last: unknown;
    await eventually(`${name} to be available on ${count}`, async () => {
      const { status } = await this.ask(`GET /v1/workspaces/root/deployments/${name}`, undefined, 200);
      last = status;
      return status.counts.available === count;
    }).catch((cause: unknown) => {
      throw new Error(`not available: ${JSON.stringify(last)}`, { cause });
    });
  }

  async connection(target: string, state: string): Promise<void> {
    await eventually(
      `${target} to be ${state}`,
      async () => (await this.ask(`GET /v1/targets/${target}`, undefined, 200)).connection.state === state,
    );
  }

  async standing(target: string, state: string): Promise<string> {
    return await eventually(`${target} to be ${state}`, async () => {
      const its = await this.ask(`GET /v1/targets/${target}/kubeconfig`, undefined, 200);
      return its.state === state && (its.message ?? '');
    });
  }
}
