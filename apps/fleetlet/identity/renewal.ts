import { backoffDelay, type Clock, type Random, type Sleep, Wake } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { FleetletError } from '../fleetlet-error.ts';
import type { Identity } from './identity-store.ts';

export interface RenewalDeps {
  readonly current: () => Identity | undefined;
  readonly renew: (own: Identity, signal: AbortSignal) => Promise<Identity>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly log: Logger;
}

const PACE = { baseMs: 5_000, capMs: 600_000 };
/** Who was refused for good may have been let in again by somebody. */
const REFUSED_MS = 600_000;
/** The longest wait at once: clocks are set, machines sleep. */
const LONGEST_MS = 3_600_000;

/** Keeps the certificate fresh: a new one after two thirds of its life, give or take, so that a fleet does not come at once. */
export class Renewal {
  readonly #deps: RenewalDeps;
  readonly #wake: Wake;
  readonly #spread: number;
  #isAsked = false;

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
    this.#wake = new Wake(deps.sleep);
    this.#spread = deps.random();
  }

  /** The platform wants it, or has refused the one that we have. */
  soon(): void {
    this.#isAsked = true;
    this.#wake.raise();
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { certificate } = await this.#deps.renew(await this.#due(signal), signal);
        this.#isAsked = false;
        failures = 0;
        this.#deps.log.info({ key: certificate.serialNumber, reason: certificate.validTo }, 'renewed the certificate');
      } catch (err) {
        if (signal.aborted) return;
        failures += 1;
        await this.#waitAfter(err, failures, signal);
      }
    }
  }

  async #due(signal: AbortSignal): Promise<Identity> {
    for (;;) {
      const identity = this.#deps.current();
      const left = identity === undefined ? LONGEST_MS : renewAt(identity, this.#spread) - this.#deps.clock.now();
      if (identity !== undefined && (this.#isAsked || left <= 0)) return identity;
      await this.#wake.wait(Math.min(left, LONGEST_MS), signal);
    }
  }

  async #waitAfter(err: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const { log, sleep, random } = this.#deps;
    const isRefused = err instanceof FleetletError && err.code === 'ENROLMENT_REFUSED';
    const retryInMs = isRefused ? REFUSED_MS : backoffDelay(PACE, failures, random);
    if (isRefused)
      log.error({ err, retryInMs }, 'the platform does not renew the certificate; enrol again if it stays so');
    else log.warn({ err, retryInMs }, 'the certificate was not renewed; will try again');
    await sleep(retryInMs, signal).catch(() => undefined);
  }
}

/** Between 60 % and 72 % of its life. */
export function renewAt({ certificate }: Pick<Identity, 'certificate'>, spread: number): number {
  const from = certificate.validFromDate.getTime();
  const life = certificate.validToDate.getTime() - from;
  return from + life * (0.6 + 0.12 * spread);
}
