import type { Platform } from '#testing/platform-process';

/** Of a deployment, as far as it is of interest here. */
export interface Known {
  readonly name: string;
  readonly status?: {
    readonly counts?: { readonly available?: number };
    readonly rollout?: { readonly revision?: number; readonly phase?: string };
  };
}

/** Whoever is not told by then is told why. */
export const PATIENCE_MS = 5 * 60_000;
const TYPES = ['deployment.created', 'deployment.statusChanged', 'rollout.planned', 'rollout.finished'];

/** What the platform tells of deployments to whoever follows its events: to ask it all the time would slow down what is measured. */
export class StatusWatch {
  readonly #waiting = new Set<(told: Known) => void>();

  /** Once it hears; the stream is over when the signal aborts. */
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

  /** When it is told that the deployment is so; rejects with what was told last when it never is. */
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
