import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../../patience.ts';
import { ApiAnswerError } from '../api-client.ts';
import { isOurImage } from './our-image.ts';
import type { Pod } from './pod.ts';
import { PodRun, type PodRunDeps } from './pod-run.ts';

const RETRY_MS = 200;

/**
 * The kubelet for Pods of our own image, on any node: images cannot run on simulated nodes, so their programs run as
 * processes of this machine. Other Pods are ignored.
 */
export class PodRunner {
  readonly #deps: PodRunDeps;
  readonly #closing = new AbortController();
  readonly #pods = new Map<string, PodRun>();
  readonly #endings = new Map<string, Promise<void>>();
  readonly #following: Promise<void>;

  constructor(deps: PodRunDeps) {
    this.#deps = deps;
    this.#following = this.#follow();
  }

  /** Kills all Pods that still run. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await Promise.all([...this.#pods.values()].map((pod) => pod.end(0)));
    await Promise.all(this.#endings.values());
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#listAndWatch(signal);
      } catch {
        // The API server is down or busy; retries until it answers.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    const { api } = this.#deps;
    const list = await api.send<PodList>('GET', '/api/v1/pods', undefined, signal);
    const present = new Set(list.items.map(({ metadata }) => metadata.uid));
    for (const uid of this.#pods.keys()) if (!present.has(uid)) this.#end(uid, 0);
    for (const pod of list.items) this.#see(pod);
    const path = `/api/v1/pods?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    for await (const { type, object } of api.watch<Pod>(path, signal)) {
      if (type === 'DELETED') this.#end(object.metadata.uid, 0);
      else if (type === 'ADDED' || type === 'MODIFIED') this.#see(object);
      else if (type === 'ERROR') return;
    }
  }

  #see(pod: Pod): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    if (pod.spec.nodeName === undefined || !pod.spec.containers.some(({ image }) => isOurImage(image))) return;
    if (deletionTimestamp !== undefined) return this.#delete(pod, deletionGracePeriodSeconds * 1_000);
    const isOver = ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
    if (!isOver && !this.#pods.has(uid)) this.#pods.set(uid, new PodRun(this.#deps, pod));
  }

  #delete(pod: Pod, graceMs: number): void {
    const { uid } = pod.metadata;
    if (this.#endings.has(uid)) return;
    this.#end(uid, graceMs, () => this.#forget(pod));
  }

  #end(uid: string, graceMs: number, andThen?: () => Promise<void>): void {
    const run = this.#pods.get(uid);
    if (run === undefined && andThen === undefined) return;
    const ending = (async () => {
      await run?.end(graceMs);
      await andThen?.();
    })()
      .catch(() => {})
      .finally(() => {
        this.#pods.delete(uid);
        this.#endings.delete(uid);
      });
    this.#endings.set(uid, ending);
  }

  /** Removes the Pod object, the last step of a kubelet. */
  async #forget({ metadata: { name, namespace, uid } }: Pod): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(PATIENCE_MS)]);
    while (!signal.aborted) {
      try {
        return void (await this.#deps.api.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, body, signal));
      } catch (error) {
        if (error instanceof ApiAnswerError && [404, 409].includes(error.status)) return;
        await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}

interface PodList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Pod[];
}
