import type { LocalClient, LocalTarget, TargetClaim, TargetRefusal } from '#contexts/channels';
import type { DeliveryServer } from '#contexts/delivery/adapters';
import { backoffDelay, Mutex, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { TargetId, TargetRef } from '#protocol/targets';

export interface RegistrationDeps {
  readonly client: Pick<LocalClient, 'registerTarget'>;
  readonly server: Pick<DeliveryServer, 'accepted' | 'connected' | 'gone'>;
  readonly log: Logger;
  /** Once aborted, errors are no longer reported. */
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** A drop that has begun is awaited also while the process stops. */
const { signal: NEVER } = new AbortController();
const RETRY = { baseMs: 1_000, capMs: 30_000 };

/** Why this process does not have the target: another agent has precedence (`served`), or the platform refused. */
export interface RegistrationLost {
  readonly reason: TargetRefusal | 'superseded';
  readonly message: string;
  /** The id that is to be stored in the cluster, so that it is told from another one. */
  readonly identity?: string | undefined;
}

/** Callbacks for a target. */
export interface RegistrationHandlers {
  readonly claim: TargetClaim;
  /**
   * The target is ours, with this reference. Called again with the same reference each time the platform confirms it.
   */
  take(target: TargetRef): Promise<void>;
  /** The target is no longer ours: all work for it must stop. Not called if it never was ours. */
  drop?(target: TargetRef): Promise<void>;
  /** Called on every refusal; it has already been logged. */
  lost?(why: RegistrationLost): void;
}

/** A target that this process wants to serve. */
export interface TargetRegistration {
  /** Set while the target is ours. */
  readonly ref: TargetRef | undefined;
  /** The reported facts about the target have changed. */
  update(claim: TargetClaim): void;
  /** Reports the state of the target again, if it is ours. */
  account(): Promise<void>;
  /** Resolves once the fleetlet has been informed. */
  deregister(signal: AbortSignal): Promise<void>;
}

/**
 * Registers a target and keeps the registration. The target is taken when the platform accepts it, its state is
 * reported when the platform is ready, and it is dropped as soon as another agent takes over.
 */
export function registerTarget(deps: RegistrationDeps, registration: RegistrationHandlers): TargetRegistration {
  return new Registration(deps, registration);
}

class Registration implements TargetRegistration {
  readonly #deps: RegistrationDeps;
  readonly #registration: RegistrationHandlers;
  readonly #subject: string;
  #claim: TargetClaim;
  #registered: LocalTarget;
  #ref: TargetRef | undefined;
  #said = '';
  /** Takes and drops run one after another, in the order in which they were requested. */
  readonly #mutex = new Mutex();

  constructor(deps: RegistrationDeps, registration: RegistrationHandlers) {
    this.#deps = deps;
    this.#registration = registration;
    this.#claim = registration.claim;
    this.#subject = `targets/${registration.claim.name}`;
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
    await this.#mutex.run(async () => {
      if (this.#ref !== ref) return;
      await this.#registration.take(ref);
      await this.#deps.server.connected(ref, this.#deps.signal);
    }, this.#deps.signal);
  }

  async deregister(signal: AbortSignal): Promise<void> {
    this.#lose();
    await this.#registered.deregister(signal);
  }

  /** The platform asks only once, so this retries until the report was sent. */
  async #accountInTheEnd(): Promise<void> {
    const { sleep = realSleep, signal } = this.#deps;
    const ref = this.#ref;
    for (let attempt = 1; ref !== undefined && this.#ref === ref && !signal.aborted; attempt += 1) {
      try {
        return await this.account();
      } catch (error) {
        this.#warn(error, 'report of target state failed; retrying');
        await sleep(RETRY.baseMs / 2 + backoffDelay(RETRY, attempt, Math.random), signal);
      }
    }
  }

  #register(): LocalTarget {
    return this.#deps.client.registerTarget(this.#claim, {
      accepted: (uid) => this.#accepted(uid),
      refused: (reason, message, identity) => this.#refused({ reason, message, identity }),
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
      this.#deps.log.info({ subject: this.#subject }, 'target accepted; serving');
    }
    const ref = this.#ref;
    const take = async (): Promise<void> => {
      // A target may be accepted and lost in one turn of the event loop.
      await Promise.resolve();
      if (ref === undefined || this.#ref !== ref) return;
      await this.#registration.take(ref);
      if (this.#ref === ref) this.#deps.server.accepted(ref);
    };
    this.#mutex.run(take, this.#deps.signal).catch((error: unknown) => this.#warn(error, 'accepted target not opened'));
  }

  #refused(why: RegistrationLost): void {
    // Registration is retried repeatedly while another agent serves the target; only a changed message is logged.
    if (this.#said !== why.message) {
      const fields = { subject: this.#subject, code: why.reason, reason: why.message };
      if (why.reason === 'served') this.#deps.log.info(fields, 'another agent serves the target; standing by');
      else this.#deps.log.warn(fields, 'target refused');
    }
    this.#said = why.message;
    this.#lose();
    this.#registration.lost?.(why);
  }

  #superseded(why: RegistrationLost): void {
    this.#deps.log.warn(
      { subject: this.#subject, reason: why.message },
      'another agent took over the target; standing by',
    );
    this.#lose();
    this.#registration.lost?.(why);
    // DECISION: registers again, at once and then repeatedly, and is refused as long as the other agent is there. So
    // the target becomes ours again when no other agent is left, and never before. (ADR-0032)
    this.#registered = this.#register();
  }

  /** Immediately: the next agent may start before this process is notified. */
  #lose(): void {
    const ref = this.#ref;
    if (ref === undefined) return;
    this.#ref = undefined;
    this.#deps.server.gone(ref.id);
    const dropped = this.#registration.drop?.(ref);
    this.#mutex
      .run(async () => await dropped, NEVER)
      .catch((error: unknown) => this.#warn(error, 'lost target not closed'));
  }

  #warn(err: unknown, message: string): void {
    if (!this.#deps.signal.aborted) this.#deps.log.warn({ err, subject: this.#subject }, message);
  }
}
