import { backoffDelay, type Clock, Notifier, type Random, type Sleep } from '#kit/std';
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
/** Retries slowly after a refusal: the fleetlet may have been admitted again. */
const REFUSED_MS = 600_000;
/** Longest single wait, because clocks are adjusted and machines sleep. */
const LONGEST_MS = 3_600_000;

/**
 * Renews the certificate after about two thirds of its lifetime, randomised so that a fleet does not renew all at once.
 */
export class Renewal {
  readonly #deps: RenewalDeps;
  readonly #wake: Notifier;
  readonly #spread: number;
  #isAsked = false;

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
    this.#spread = deps.random();
  }

  /** Called when the platform asks for a renewal, or has refused the current certificate. */
  soon(): void {
    this.#isAsked = true;
    this.#wake.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const { certificate } = await this.#deps.renew(await this.#due(signal), signal);
        this.#isAsked = false;
        failures = 0;
        this.#deps.log.info({ key: certificate.serialNumber, reason: certificate.validTo }, 'certificate renewed');
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
      log.error(
        { err, retryInMs },
        'certificate renewal refused by the platform; retrying, enrol again if this persists',
      );
    else log.warn({ err, retryInMs }, 'certificate renewal failed; retrying');
    await sleep(retryInMs, signal).catch(() => undefined);
  }
}

/** Between 60 % and 72 % of its lifetime. */
export function renewAt({ certificate }: Pick<Identity, 'certificate'>, spread: number): number {
  const from = certificate.validFromDate.getTime();
  const life = certificate.validToDate.getTime() - from;
  return from + life * (0.6 + 0.12 * spread);
}
