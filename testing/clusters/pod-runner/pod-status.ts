import { setTimeout as delay } from 'node:timers/promises';
import { ApiAnswerError, type ApiClient } from '../api-client.ts';
import type { ContainerRun } from './container-run.ts';
import type { Condition, Pod } from './pod.ts';

export interface PodStatusDeps {
  readonly api: ApiClient;
  readonly pod: Pod;
  readonly podIp: string;
}

const RETRY_MS = 200;

/** Keeps a Pod's status in line with its containers: one write at a time, and the latest status is always written. */
export class PodStatus {
  readonly #deps: PodStatusDeps;
  readonly #closing = new AbortController();
  readonly #startTime = new Date().toISOString();
  #inits: readonly ContainerRun[] = [];
  #runs: readonly ContainerRun[] = [];
  #conditions: readonly Condition[];
  #isWriting = false;
  #isStale = false;

  constructor(deps: PodStatusDeps) {
    this.#deps = deps;
    this.#conditions = deps.pod.status?.conditions ?? [];
  }

  show(inits: readonly ContainerRun[], runs: readonly ContainerRun[]): void {
    this.#inits = inits;
    this.#runs = runs;
    this.changed();
  }

  changed(): void {
    this.#isStale = true;
    if (this.#isWriting) return;
    this.#isWriting = true;
    const done = (): void => {
      this.#isWriting = false;
    };
    this.#write().then(done, done);
  }

  close(): void {
    this.#closing.abort();
  }

  async #write(): Promise<void> {
    const { metadata } = this.#deps.pod;
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
    const { signal } = this.#closing;
    while (this.#isStale && !signal.aborted) {
      this.#isStale = false;
      try {
        await this.#deps.api.send('PATCH', path, { metadata: { uid: metadata.uid }, status: this.#status() }, signal);
      } catch (error) {
        // The Pod is gone, or was replaced by another of the same name.
        if (error instanceof ApiAnswerError && [404, 409, 422].includes(error.status)) return;
        this.#isStale = true;
        await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  #status(): object {
    const initialized = this.#inits.every(({ exit }) => exit?.exitCode === 0);
    const ready = initialized && this.#runs.every(({ isReady }) => isReady);
    this.#note('Initialized', initialized);
    this.#note('ContainersReady', ready);
    this.#note('Ready', ready);
    const { podIp } = this.#deps;
    return {
      phase: this.#phase(initialized),
      startTime: this.#startTime,
      hostIP: '127.0.0.1',
      hostIPs: [{ ip: '127.0.0.1' }],
      podIP: podIp,
      podIPs: [{ ip: podIp }],
      conditions: this.#conditions,
      initContainerStatuses: this.#inits.map(({ status }) => status),
      containerStatuses: this.#runs.map(({ status }) => status),
    };
  }

  #phase(initialized: boolean): string {
    const exits = [...this.#inits, ...this.#runs].map(({ exit }) => exit);
    if (this.#inits.some(({ exit }) => exit !== undefined && exit.exitCode !== 0)) return 'Failed';
    if (exits.every((exit) => exit !== undefined))
      return exits.every((exit) => exit?.exitCode === 0) ? 'Succeeded' : 'Failed';
    return initialized ? 'Running' : 'Pending';
  }

  #note(type: string, isSo: boolean): void {
    const status = isSo ? 'True' : 'False';
    if (this.#conditions.some((known) => known.type === type && known.status === status)) return;
    const others = this.#conditions.filter((known) => known.type !== type);
    this.#conditions = [...others, { type, status, lastTransitionTime: new Date().toISOString() }];
  }
}
