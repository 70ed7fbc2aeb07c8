import type { Platform } from '#testing/platform-process';

/** The fields of a deployment that are read here. */
export interface Known {
  readonly name: string;
  readonly status?: {
    readonly counts?: { readonly available?: number };
    readonly rollout?: { readonly revision?: number; readonly phase?: string };
  };
}

/** After this time a wait fails, with the last known state. */
export const PATIENCE_MS = 5 * 60_000;
const TYPES = ['deployment.created', 'deployment.statusChanged', 'rollout.planned', 'rollout.finished'];

/** Follows the platform's deployment events: polling would slow down what is measured. */
export class StatusWatch {
  readonly #waiting = new Set<(told: Known) => void>();

  /** Resolves once it receives events; the stream ends when the signal aborts. */
  static async open(platform: Platform, signal: AbortSignal): Promise<StatusWatch> {
    const watch = new StatusWatch();
    const types = TYPES.map((type) => `types=${type}`).join('&');
    const { body, status } = await fetch(`${platform.url}/v1/events?${types}`, {
      headers: { authorization: `Bearer ${platform.token}`, accept: 'text/event-stream' },
      signal,
    });
    if (body === null || status !== 200) throw new Error(`GET /v1/events: ${status}`);
    void watch.#read(body).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return watch;
  }

  /** The time when the deployment was reported to satisfy the condition; rejects with the last report if it never does. */
  async until(name: string, isSo: (told: Known) => boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let last: Known | undefined;
    const hear = (told: Known): void => {
      if (told.name !== name) return;
      last = told;
      if (isSo(told)) resolve(performance.now());
    };
    const giveUp = (): void => reject(new Error(`wait for ${name}: told last: ${JSON.stringify(last?.status)}`));
    const timer = setTimeout(giveUp, PATIENCE_MS).unref();
    this.#waiting.add(hear);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(hear);
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of body) {
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue;
        const { data } = JSON.parse(line.slice('data: '.length)) as { readonly data: Known };
        for (const hear of this.#waiting) hear(data);
      }
    }
  }
}
