import type { LocalClient, LocalTarget, TargetClaim, TargetRefusal } from '#contexts/channels';
import type { DeliveryServer } from '#contexts/delivery/adapters';
import { backoffDelay, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { TargetId, TargetRef } from '#protocol/targets';

export interface SpeakForDeps {
  readonly client: Pick<LocalClient, 'registerTarget'>;
  readonly server: Pick<DeliveryServer, 'accepted' | 'connected' | 'gone'>;
  readonly log: Logger;
  /** Of whoever works for the target: aborted, what goes wrong is of no interest any more. */
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

const RETRY = { baseMs: 1_000, capMs: 30_000 };

/** Why a target is not ours: `served` by somebody who goes before us, or refused. */
export interface GivenUp {
  readonly reason: TargetRefusal | 'superseded';
  readonly message: string;
}

/** What is done for a target. */
export interface Spoken {
  readonly claim: TargetClaim;
  /** It is ours, under this reference. Called again with the same each time that this is confirmed. */
  take(target: TargetRef): Promise<void>;
  /** It is ours no longer: nothing of it may go on. Not called for one that never was. */
  drop?(target: TargetRef): Promise<void>;
  /** Each time that it is said; the log has it already. */
  notOurs?(why: GivenUp): void;
}

/** A target that this process wants to speak for. */
export interface SpokenTarget {
  /** Once it is ours, and until it is not. */
  readonly ref: TargetRef | undefined;
  /** What is known of it is another thing now. */
  update(claim: TargetClaim): void;
  /** Gives an account of it anew, if it is ours. */
  account(): Promise<void>;
  /** Resolves once the fleetlet knows. */
  deregister(signal: AbortSignal): Promise<void>;
}

/**
 * Registers a target and keeps it: taken when the platform says so, accounted for when it is ready for that, dropped as
 * soon as it says that somebody else speaks for it.
 */
export function speakFor(deps: SpeakForDeps, spoken: Spoken): SpokenTarget {
  return new Registration(deps, spoken);
}

class Registration implements SpokenTarget {
  readonly #deps: SpeakForDeps;
  readonly #spoken: Spoken;
  readonly #subject: string;
  #claim: TargetClaim;
  #registered: LocalTarget;
  #ref: TargetRef | undefined;
  #said = '';
  /** Takes and drops follow each other, in the order in which they were said. */
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: SpeakForDeps, spoken: Spoken) {
    this.#deps = deps;
    this.#spoken = spoken;
    this.#claim = spoken.claim;
    this.#subject = `targets/${spoken.claim.name}`;
    this.#registered = this.#register();
  }

  get ref(): TargetRef | undefined {
    return this.#ref;
  }

  update(claim: TargetClaim): void {
    this.#claim = claim;
    this.#registered.update(claim);
  }

  async account(): Promise<void> {
    const ref = this.#ref;
    if (ref === undefined) return;
    await this.#inTurn(async () => {
      if (this.#ref !== ref) return;
      await this.#spoken.take(ref);
      await this.#deps.server.connected(ref, this.#deps.signal);
    });
  }

  async deregister(signal: AbortSignal): Promise<void> {
    this.#lose();
    await this.#registered.deregister(signal);
  }

  /** The platform asks once: until it has been answered it is ours to try. */
  async #accountInTheEnd(): Promise<void> {
    const { sleep = realSleep, signal } = this.#deps;
    const ref = this.#ref;
    for (let attempt = 1; ref !== undefined && this.#ref === ref && !signal.aborted; attempt += 1) {
      try {
        return await this.account();
      } catch (error) {
        this.#trouble(error);
        await sleep(RETRY.baseMs / 2 + backoffDelay(RETRY, attempt, Math.random), signal);
      }
    }
  }

  #register(): LocalTarget {
    return this.#deps.client.registerTarget(this.#claim, {
      accepted: (uid) => this.#accepted(uid),
      refused: (reason, message) => this.#refused({ reason, message }),
      superseded: (message) => this.#superseded({ reason: 'superseded', message }),
      syncNow: () => {
        this.#accountInTheEnd().catch(() => {});
      },
    });
  }

  #accepted(uid: string): void {
    const { name, type } = this.#claim;
    this.#said = '';
    if (this.#ref?.id !== uid) {
      this.#lose();
      this.#ref = { id: uid as TargetId, name, type };
      this.#deps.log.info({ subject: this.#subject }, 'speaks for the target');
    }
    const ref = this.#ref;
    const take = async (): Promise<void> => {
      if (ref === undefined || this.#ref !== ref) return;
      await this.#spoken.take(ref);
      if (this.#ref === ref) this.#deps.server.accepted(ref);
    };
    this.#inTurn(take).catch((error: unknown) => this.#trouble(error));
  }

  #refused(why: GivenUp): void {
    // Whoever is closer is asked again by and by: that he is still there is no news.
    if (this.#said !== why.message) {
      const fields = { subject: this.#subject, code: why.reason, reason: why.message };
      if (why.reason === 'served') this.#deps.log.info(fields, 'somebody else speaks for the target; stands by');
      else this.#deps.log.warn(fields, 'the target was refused');
    }
    this.#said = why.message;
    this.#lose();
    this.#spoken.notOurs?.(why);
  }

  #superseded(why: GivenUp): void {
    this.#deps.log.warn(
      { subject: this.#subject, reason: why.message },
      'somebody else speaks for the target now; stands by',
    );
    this.#lose();
    this.#spoken.notOurs?.(why);
    // DECISION: it is asked for again, at once and then by and by, and refused for as long as the other is there. So it is
    // ours again when nobody else is left, and never before. (ADR-0032)
    this.#registered = this.#register();
  }

  /** At once: whoever comes next may begin before this is heard. */
  #lose(): void {
    const ref = this.#ref;
    if (ref === undefined) return;
    this.#ref = undefined;
    this.#deps.server.gone(ref.id);
    const dropped = this.#spoken.drop?.(ref);
    this.#inTurn(async () => await dropped).catch((error: unknown) => this.#trouble(error));
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => {});
    return done;
  }

  #trouble(err: unknown): void {
    if (!this.#deps.signal.aborted)
      this.#deps.log.warn({ err, subject: this.#subject }, 'could not say what is on the target; will try again');
  }
}
