import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Environment, type KubeConfig, loadKubeConfig } from '#kit/kube';
import type { Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { ClusterSource } from './cluster-source.ts';

export interface KubeconfigFileDeps {
  readonly file: string;
  readonly environment: Environment;
  readonly sleep: Sleep;
  readonly log: Logger;
  /** 5 s unless told. */
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 5_000;
const READ_MS = 10_000;

/**
 * A kubeconfig whose contexts are clusters. It is read again when what is in it has changed; one that cannot be read, or
 * has lost a context, leaves everything as it was.
 *
 * DECISION: the file is looked at, not watched. What mounts Secrets swaps links, editors swap files, and network file
 * systems tell nobody; a small file is read in no time. (ADR-0032)
 */
export class KubeconfigFile {
  readonly #deps: KubeconfigFileDeps;
  readonly #listeners = new Set<() => void>();
  readonly #known = new Map<string | undefined, KubeConfig>();
  #digest: string | undefined;
  #said = '';

  constructor(deps: KubeconfigFileDeps) {
    this.#deps = deps;
  }

  /** The current one unless named. Throws when it is not there, or cannot be used. */
  async context(context: string | undefined, signal: AbortSignal): Promise<ClusterSource> {
    this.#known.set(context, await this.#load(context, signal));
    this.#digest ??= await this.#look(signal);
    return {
      read: async (stop) => await this.#newest(context, stop),
      onChanged: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sleep, lookEveryMs = LOOK_EVERY_MS } = this.#deps;
    while (!signal.aborted) {
      await sleep(lookEveryMs, signal).catch(() => {});
      if (signal.aborted) return;
      const digest = await this.#look(AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])).catch(() => undefined);
      if (digest === undefined) this.#say('the kubeconfig cannot be read; keeps to the last one');
      if (digest === undefined || digest === this.#digest) continue;
      this.#digest = digest;
      this.#said = '';
      for (const listener of this.#listeners) listener();
    }
  }

  async #newest(context: string | undefined, signal: AbortSignal): Promise<KubeConfig> {
    const before = this.#known.get(context);
    try {
      const config = await this.#load(context, signal);
      this.#known.set(context, config);
      return config;
    } catch (error) {
      if (before === undefined || signal.aborted) throw error;
      this.#say('what the kubeconfig says now cannot be used; keeps to the last one', error);
      return before;
    }
  }

  async #load(context: string | undefined, signal: AbortSignal): Promise<KubeConfig> {
    const { file, environment } = this.#deps;
    return await loadKubeConfig({ file, environment, ...(context !== undefined && { context }) }, signal);
  }

  async #look(signal: AbortSignal): Promise<string> {
    return hash('sha256', await readFile(this.#deps.file, { signal }), 'hex');
  }

  #say(message: string, err?: unknown): void {
    const said = `${message} ${err instanceof Error ? err.message : ''}`;
    if (said === this.#said) return;
    this.#said = said;
    this.#deps.log.warn({ file: this.#deps.file, ...(err !== undefined && { err }) }, message);
  }
}
