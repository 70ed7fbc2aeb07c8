import { FleetError } from '#kit/std';
import type { HttpLog, Probe } from '../ports.ts';

export interface ProbeResult {
  readonly name: string;
  readonly status: 'ok' | 'failing';
  readonly message?: string;
  readonly durationMs: number;
}

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unready';
  readonly probes: readonly ProbeResult[];
}

interface ReadinessDeps {
  readonly probes: readonly Probe[];
  readonly timeoutMs: number;
  readonly log: HttpLog;
}

/**
 * Runs all probes concurrently, each with its own time limit, so that a probe that hangs is named and does not delay
 * others. Concurrent callers share one result: frequent requests cost no more than one.
 */
export class ReadinessCheck {
  readonly #deps: ReadinessDeps;
  #running: Promise<Readiness> | undefined;
  #failing: string | undefined;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  async check(): Promise<Readiness> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #run(): Promise<Readiness> {
    const { probes, timeoutMs, log } = this.#deps;
    const results = await Promise.all(probes.map((probe) => runProbe(probe, timeoutMs, log)));
    const failing = results.filter(({ status }) => status === 'failing').map(({ name }) => name);
    this.#tell(failing.join(', '));
    return { status: this.#statusOf(failing), probes: results };
  }

  #statusOf(failing: readonly string[]): Readiness['status'] {
    if (failing.length === 0) return 'ready';
    const isPartial = (name: string): boolean =>
      this.#deps.probes.some((probe) => probe.name === name && probe.onFailure === 'degraded');
    return failing.every(isPartial) ? 'degraded' : 'unready';
  }

  /** Logs only changes of the state. */
  #tell(failing: string): void {
    if (failing === (this.#failing ?? '')) return;
    this.#failing = failing;
    if (failing === '') this.#deps.log.info({}, 'ready');
    else this.#deps.log.warn({ reason: failing }, 'readiness check failed; checking again on the next probe');
  }
}

async function runProbe(probe: Probe, timeoutMs: number, log: HttpLog): Promise<ProbeResult> {
  const began = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const durationMs = (): number => Math.round(performance.now() - began);
  try {
    const message = await Promise.race([probe.check(signal), rejectWhenAborted(signal, timeoutMs)]);
    return { name: probe.name, status: 'ok', durationMs: durationMs(), ...(message === undefined ? {} : { message }) };
  } catch (err) {
    log.debug({ err, name: probe.name }, 'probe is failing');
    return { name: probe.name, status: 'failing', message: wordsFor(err), durationMs: durationMs() };
  }
}

class NoAnswer extends Error {}

function rejectWhenAborted(signal: AbortSignal, timeoutMs: number): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new NoAnswer(`no answer within ${timeoutMs} ms`)), { once: true });
  });
}

/** The response is public, so it shows only messages written for users. */
function wordsFor(error: unknown): string {
  if (error instanceof FleetError || error instanceof NoAnswer) return error.message;
  return 'failed; see the log';
}
