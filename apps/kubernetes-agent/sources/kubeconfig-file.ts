import { type Environment, type KubeConfig, type KubeconfigSnapshot, readKubeconfigFile } from '#kit/kube';
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

interface Known {
  readonly digest: string;
  readonly config: KubeConfig;
}

const LOOK_EVERY_MS = 5_000;
const READ_MS = 10_000;

/**
 * A kubeconfig whose contexts are clusters. It is read again when what is in it has changed; one that cannot be read, or
 * has lost a context, leaves everything as it was.
 *
 * DECISION: the file is looked at, not watched. What mounts Secrets swaps links, editors swap files, and network file
 * systems tell nobody; a small file is read in no time. It is looked at once for all of its contexts, and parsed when it
 * is another. (ADR-0032)
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

  /** The current one unless named. Throws when it is not there, or cannot be used. */
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
      if (!isRead) this.#say('the kubeconfig cannot be read; keeps to the last one');
      if (this.#newest === before) continue;
      this.#said = '';
      for (const listener of this.#listeners) listener();
    }
  }

  /** As of the last look; what did not change since is the same object. */
  #read(context: string | undefined): KubeConfig {
    const known = this.#known.get(context);
    if (known !== undefined && known.digest === this.#newest?.digest) return known.config;
    try {
      const now = this.#load(context);
      this.#known.set(context, now);
      return now.config;
    } catch (error) {
      if (known === undefined) throw error;
      this.#say('what the kubeconfig says now cannot be used; keeps to the last one', error);
      return known.config;
    }
  }

  #load(context: string | undefined): Known {
    const { environment } = this.#deps;
    const snapshot = this.#newest;
    if (snapshot === undefined) throw new RangeError('a kubeconfig that was never read');
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
