import { hostname } from 'node:os';
import { monotonicClock, type Runnable, runGroups } from '#kit/reconcile';
import { type Clock, type Random, sleep as realSleep, type Sleep, systemClock, unlessAborted, uuidv7 } from '#kit/std';
import type { Gauge, Logger } from '#kit/telemetry';
import { LeaderError } from './leader-error.ts';
import { type Claim, claimed, type Lease, mayTake, released, type SeenLease, see } from './lease.ts';
import { LeaseClient, type LeaseClientOptions } from './lease-client.ts';

export interface LeaderElectionOptions extends LeaseClientOptions {
  /**
   * What the leader alone may do. `lost` aborts when the lease is lost: work under way is then cut and not drained, so it
   * goes to the controllers as their `cut`.
   */
  readonly work: (lost: AbortSignal) => readonly Runnable[];
  /** How long the work may take to stop; 30 s unless told. */
  readonly stopWithinMs?: number;
  /** The beginning of the holder's name, which is made unique; the name of the host unless told. */
  readonly identity?: string;
  /** How long others wait after the last sign of life; 15 s unless told. */
  readonly leaseDurationMs?: number;
  /** How long after the last renewal we still work; 10 s unless told. The difference is for the work to end. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Says what time it is to those who read the lease. Nothing is decided by it. */
  readonly wallClock?: Clock;
  /** Monotonic. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** `leaderGauge(metrics)` */
  readonly gauge?: Gauge<'name'>;
  readonly log?: Logger;
}

/** The right to work, counted from before the request that gave it was sent. */
interface Tenure {
  readonly seen: SeenLease;
  readonly renewedAt: number;
}

/**
 * Waits for the lease, works while it holds it, and lets go when it stops. When the lease cannot be renewed, the work is
 * stopped before anybody else can have it, and then this throws `LEASE_LOST`: the process ends and begins again as a
 * candidate, with nothing left over from when it led.
 */
export function createLeaderElection(options: LeaderElectionOptions): Runnable {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)) {
    throw new RangeError(
      `a lease needs leaseDurationMs > renewDeadlineMs > retryPeriodMs > 0, not ${leaseDurationMs}, ${renewDeadlineMs}, ${retryPeriodMs}`,
    );
  }
  const election = new Election({ ...options, leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  return { name: `leader of ${options.namespace}/${options.name}`, run: (signal) => election.run(signal) };
}

type Timing = 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs';
type TimedOptions = LeaderElectionOptions & Required<Pick<LeaderElectionOptions, Timing>>;

class Election {
  readonly #options: TimedOptions;
  readonly #identity: string;
  readonly #leases: LeaseClient;
  readonly #clock: Clock;
  readonly #wallClock: Clock;
  readonly #sleep: Sleep;
  readonly #random: Random;
  readonly #log: Logger | undefined;
  #writes = 0;

  constructor(options: TimedOptions) {
    this.#options = options;
    const { clock = monotonicClock, wallClock = systemClock, sleep = realSleep, random = Math.random } = options;
    this.#identity = `${options.identity ?? hostname()}_${uuidv7()}`;
    this.#leases = new LeaseClient(options);
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#sleep = sleep;
    this.#random = random;
    this.#log = options.log?.child({ component: 'leader', subject: `${options.namespace}/${options.name}` });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#tell(false);
    const tenure = await this.#acquire(signal);
    this.#log?.info({ name: this.#identity }, 'the lease is ours; working');
    this.#tell(true);
    const lost = new AbortController();
    const stop = new AbortController();
    const over = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const working = this.#work(lost.signal, stop.signal).finally(() => over.abort());
    const holding = this.#hold(tenure, over.signal).catch((error: unknown) => {
      this.#tell(false);
      lost.abort(error);
      stop.abort(error);
      throw error;
    });
    const [worked, held] = await Promise.allSettled([working, holding]);
    signal.removeEventListener('abort', onAbort);
    this.#tell(false);
    if (held.status === 'fulfilled') await this.#release(held.value);
    const failures = [held, worked].flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    if (failures.length > 1) throw new AggregateError(failures, 'lead: the lease was lost, and the work ended badly');
    if (failures.length === 1) throw failures[0];
  }

  async #work(lost: AbortSignal, stop: AbortSignal): Promise<void> {
    const { work, stopWithinMs = 30_000 } = this.#options;
    await runGroups([{ name: 'leader', runnables: work(lost), stopWithinMs }], stop, { sleep: this.#sleep });
  }

  async #acquire(signal: AbortSignal): Promise<Tenure> {
    const { renewDeadlineMs, retryPeriodMs } = this.#options;
    let seen: SeenLease | undefined;
    for (;;) {
      signal.throwIfAborted();
      try {
        // Not under the signal: a claim that was cut off would keep others waiting for a leader that never was.
        const tenure = await this.#within(renewDeadlineMs / 2, (until) => this.#tryAcquire(seen, until));
        if ('renewedAt' in tenure) return await this.#unlessStopped(tenure, signal);
        seen = tenure.seen;
      } catch (error) {
        signal.throwIfAborted();
        this.#log?.warn({ err: error }, 'the lease could not be asked for; will try again');
      }
      await this.#sleep(Math.ceil(retryPeriodMs * (1 + this.#random())), signal);
    }
  }

  /** A tenure, or what was seen instead. */
  async #tryAcquire(
    before: SeenLease | undefined,
    signal: AbortSignal,
  ): Promise<Tenure | { seen: SeenLease | undefined }> {
    const lease = await this.#leases.get(signal);
    const renewedAt = this.#clock.now();
    const seen = lease && see(before, lease, renewedAt);
    if (seen && !mayTake(seen, { identity: this.#identity, now: renewedAt })) return { seen };
    try {
      const taken = await this.#leases.write(lease, claimed(lease?.spec, this.#claim()), signal);
      return { seen: { lease: taken, since: renewedAt }, renewedAt };
    } catch (error) {
      if (error instanceof LeaderError && error.code === 'LEASE_TAKEN') return { seen };
      throw error;
    }
  }

  async #unlessStopped(tenure: Tenure, signal: AbortSignal): Promise<Tenure> {
    if (signal.aborted) await this.#release(tenure);
    signal.throwIfAborted();
    return tenure;
  }

  /** Renews until it is over; what is held then. Throws `LEASE_LOST`, at the deadline at the latest. */
  async #hold(first: Tenure, over: AbortSignal): Promise<Tenure> {
    const { renewDeadlineMs, retryPeriodMs } = this.#options;
    let tenure = first;
    let why: unknown;
    for (;;) {
      const deadline = tenure.renewedAt + renewDeadlineMs;
      await this.#pause(Math.min(retryPeriodMs, deadline - this.#clock.now()), over);
      if (over.aborted) return tenure;
      const leftMs = deadline - this.#clock.now();
      if (leftMs <= 0) throw this.#lost(why);
      try {
        const { seen } = tenure;
        // Not under the signal, so that what is held is known when it is over.
        tenure = await this.#within(Math.min(leftMs, renewDeadlineMs / 2), (until) => this.#renew(seen, until));
        why = undefined;
      } catch (error) {
        if (error instanceof LeaderError && error.code === 'LEASE_TAKEN') throw this.#lost(error);
        why = error;
        this.#log?.warn(
          { err: error, deadlineMs: deadline - this.#clock.now() },
          'the lease is not renewed; will try again',
        );
      }
    }
  }

  async #renew({ lease }: SeenLease, signal: AbortSignal): Promise<Tenure> {
    const renewedAt = this.#clock.now();
    const write = async (before: Lease | undefined): Promise<Tenure> => {
      const renewed = await this.#leases.write(before, claimed(before?.spec, this.#claim()), signal);
      return { seen: { lease: renewed, since: renewedAt }, renewedAt };
    };
    try {
      return await write(lease);
    } catch (error) {
      if (!(error instanceof LeaderError && error.code === 'LEASE_TAKEN')) throw error;
      // It may be that an earlier renewal went through and its answer was lost, or that somebody deleted the lease.
      const present = await this.#leases.get(signal);
      if (present && present.spec?.holderIdentity !== this.#identity) throw error;
      return await write(present);
    }
  }

  /** With a deadline of its own. One that does not get through costs the next leader the rest of the lease. */
  async #release({ seen: { lease } }: Tenure): Promise<void> {
    const { spec = {} } = lease;
    try {
      await this.#within(this.#options.renewDeadlineMs / 2, async (until) => {
        await this.#leases.write(lease, released(spec, this.#wallClock.now()), until);
      });
      this.#log?.info({ name: this.#identity }, 'the lease is released');
    } catch (error) {
      this.#log?.warn({ err: error }, 'the lease is not released; it runs out by itself');
    }
  }

  /** Rejects when the time is over, also when the request does not heed its signal. */
  async #within<T>(ms: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const done = new AbortController();
    this.#sleep(ms, done.signal).then(
      () => late.abort(new LeaderError('LEASE_TIMED_OUT', `ask for the lease within ${ms} ms`)),
      // It was in time.
      () => undefined,
    );
    try {
      return await unlessAborted(act(late.signal), late.signal);
    } finally {
      done.abort();
    }
  }

  async #pause(ms: number, over: AbortSignal): Promise<void> {
    try {
      await this.#sleep(Math.max(0, ms), over);
    } catch (error) {
      if (!over.aborted) throw error;
    }
  }

  #claim(): Claim {
    this.#writes += 1;
    const { leaseDurationMs: durationMs } = this.#options;
    return { identity: this.#identity, durationMs, wallNow: this.#wallClock.now(), writes: this.#writes };
  }

  #lost(cause: unknown): LeaderError {
    const { namespace, name } = this.#options;
    this.#log?.error({ err: cause }, 'the lease is lost; stopping the work');
    return new LeaderError('LEASE_LOST', `keep the lease ${namespace}/${name}`, { cause });
  }

  #tell(leads: boolean): void {
    this.#options.gauge?.set({ name: this.#options.name }, leads ? 1 : 0);
  }
}
