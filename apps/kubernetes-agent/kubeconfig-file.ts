import { type Environment, type KubeConfig, type KubeconfigSnapshot, readKubeconfigFile } from '#kit/kube';
import type { Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { ClusterSource } from '#runtime/cluster-agent/clusters/cluster-source';

export interface KubeconfigFileDeps {
  readonly file: string;
  readonly environment: Environment;
  readonly sleep: Sleep;
  readonly log: Logger;
  /** Default 5 s. */
  readonly lookEveryMs?: number;
}

interface Known {
  readonly digest: string;
  readonly config: KubeConfig;
}

const LOOK_EVERY_MS = 5_000;
const READ_MS = 10_000;

/**
 * A kubeconfig whose contexts are clusters. It is reloaded when its contents change. If it becomes unreadable or loses
 * a context, the last configuration stays in use.
 *
 * DECISION: the file is polled, not watched. Secret mounts swap links, editors swap files, and network file systems
 * send no events; a small file is read quickly. It is read once for all its contexts, and parsed only if it changed.
 * (ADR-0032)
 */
export class KubeconfigFile {
  readonly #deps: KubeconfigFileDeps;
  readonly #listeners = new Set<() => void>();
  readonly #known = new Map<string | undefined, Known>();
  #newest: KubeconfigSnapshot | undefined;
  #said = '';

  constructor(deps: KubeconfigFileDeps) {
    this.#deps = deps;
  }

  /** Uses the current context by default. Throws if the context is missing or unusable. */
  async context(context: string | undefined, signal: AbortSignal): Promise<ClusterSource> {
    await this.#look(signal);
    this.#known.set(context, this.#load(context));
    return {
      read: async () => this.#read(context),
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
      const before = this.#newest;
      const isRead = await this.#look(AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])).then(
        () => true,
        () => false,
      );
      if (!isRead) this.#say('kubeconfig not readable; keeping the last configuration');
      if (this.#newest === before) continue;
      this.#said = '';
      for (const listener of this.#listeners) listener();
    }
  }

  /** As of the last poll; an unchanged configuration is the same object. */
  #read(context: string | undefined): KubeConfig {
    const known = this.#known.get(context);
    if (known !== undefined && known.digest === this.#newest?.digest) return known.config;
    try {
      const now = this.#load(context);
      this.#known.set(context, now);
      return now.config;
    } catch (error) {
      if (known === undefined) throw error;
      this.#say('kubeconfig not usable; keeping the last configuration', error);
      return known.config;
    }
  }

  #load(context: string | undefined): Known {
    const { environment } = this.#deps;
    const snapshot = this.#newest;
    if (snapshot === undefined) throw new RangeError('the kubeconfig was never read');
    const config = snapshot.select({ environment, ...(context !== undefined && { context }) });
    return { digest: snapshot.digest, config };
  }

  async #look(signal: AbortSignal): Promise<void> {
    this.#newest = await readKubeconfigFile(this.#deps.file, this.#newest, signal);
  }

  #say(message: string, err?: unknown): void {
    const said = `${message} ${err instanceof Error ? err.message : ''}`;
    if (said === this.#said) return;
    this.#said = said;
    this.#deps.log.warn({ file: this.#deps.file, ...(err !== undefined && { err }) }, message);
  }
}
