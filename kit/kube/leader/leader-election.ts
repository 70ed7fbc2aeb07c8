import { hostname } from 'node:os';
import { monotonicClock, type Runnable, runGroups } from '#kit/reconcile';
import { type Clock, type Random, sleep as realSleep, type Sleep, systemClock, unlessAborted, uuidv7 } from '#kit/std';
import type { Gauge, Logger } from '#kit/telemetry';
import { LeaderError } from './leader-error.ts';
import { type Claim, claimed, type Lease, mayTake, released, type SeenLease, see } from './lease.ts';
import { LeaseClient, type LeaseClientOptions } from './lease-client.ts';

export interface LeaderElectionOptions extends LeaseClientOptions {
  /**
   * Work that only the leader does. `lost` aborts when the lease is lost: work in progress must then be cut and not
   * drained, so pass it to the controllers as `cut`.
   */
  readonly work: (lost: AbortSignal) => readonly Runnable[];
  /** Time limit for stopping the work; 30 s by default. */
  readonly stopWithinMs?: number;
  /** Prefix of the holder identity, which is made unique; the host name by default. */
  readonly identity?: string;
  /** How long others wait after the last renewal; 15 s by default. */
  readonly leaseDurationMs?: number;
  /** How long after the last renewal the leader still works; 10 s by default. The difference is time for the work to end. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Provides the times written into the lease, for readers only. No decision depends on it. */
  readonly wallClock?: Clock;
  /** A monotonic clock. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  /** `leaderGauge(metrics)` */
  readonly gauge?: Gauge<'name'>;
  readonly log?: Logger;
}

/** The held lease. `renewedAt` is the time before the request was sent. */
interface Tenure {
  readonly seen: SeenLease;
  readonly renewedAt: number;
}

/**
 * Waits for the lease, works while it holds it, and releases it on a stop. If the lease cannot be renewed, the work is
 * stopped before another process can take the lease, and then this throws `LEASE_LOST`: the process exits and restarts
 * as a candidate, with no state from its time as leader.
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
    this.#log?.info({ name: this.#identity }, 'lease acquired; working');
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
    if (failures.length > 1)
      throw new AggregateError(failures, 'lead: the lease was lost, and stopping the work failed');
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
        // Not under the signal: an interrupted claim would make others wait for a leader that does not exist.
        const tenure = await this.#within(renewDeadlineMs / 2, (until) => this.#tryAcquire(seen, until));
        if ('renewedAt' in tenure) return await this.#unlessStopped(tenure, signal);
        seen = tenure.seen;
      } catch (error) {
        signal.throwIfAborted();
        this.#log?.warn({ err: error }, 'lease not acquired; retrying');
      }
      await this.#sleep(Math.ceil(retryPeriodMs * (1 + this.#random())), signal);
    }
  }

  /** Returns a tenure, or the lease as seen. */
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

  /** Renews until `over` aborts; returns the last tenure. Throws `LEASE_LOST`, at the deadline at the latest. */
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
        // Not under the signal, so that the held lease is known in the end.
        tenure = await this.#within(Math.min(leftMs, renewDeadlineMs / 2), (until) => this.#renew(seen, until));
        why = undefined;
      } catch (error) {
        if (error instanceof LeaderError && error.code === 'LEASE_TAKEN') throw this.#lost(error);
        why = error;
        this.#log?.warn({ err: error, deadlineMs: deadline - this.#clock.now() }, 'lease not renewed; retrying');
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
      // An earlier renewal may have succeeded with its response lost, or the lease may have been deleted.
      const present = await this.#leases.get(signal);
      if (present && present.spec?.holderIdentity !== this.#identity) throw error;
      return await write(present);
    }
  }

  /** Has its own deadline. If it fails, the next leader has to wait for the rest of the lease. */
  async #release({ seen: { lease } }: Tenure): Promise<void> {
    const { spec = {} } = lease;
    try {
      await this.#within(this.#options.renewDeadlineMs / 2, async (until) => {
        await this.#leases.write(lease, released(spec, this.#wallClock.now()), until);
      });
      this.#log?.info({ name: this.#identity }, 'lease released');
    } catch (error) {
      this.#log?.warn({ err: error }, 'lease not released; it will expire');
    }
  }

  /** Rejects on timeout, even if the request ignores its signal. */
  async #within<T>(ms: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const done = new AbortController();
    this.#sleep(ms, done.signal).then(
      () => late.abort(new LeaderError('LEASE_TIMED_OUT', `ask for the lease within ${ms} ms`)),
      // Finished in time.
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
    this.#log?.error({ err: cause }, 'lease lost; stopping the work');
    return new LeaderError('LEASE_LOST', `keep the lease ${namespace}/${name}`, { cause });
  }

  #tell(leads: boolean): void {
    this.#options.gauge?.set({ name: this.#options.name }, leads ? 1 : 0);
  }
}
