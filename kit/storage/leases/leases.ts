import { type Clock, sleep as realSleep, type Sleep, systemClock, unlessAborted, uuidv7 } from '#kit/std';
import type { Storage } from '../port.ts';
import { decide, groupOf, isAlive, type Lease, NOTHING_SEEN, observe, type Pace, type Watch } from './decide.ts';
import { Heartbeat } from './heartbeat.ts';
import {
  claimLease,
  forgetHolders,
  forgetPredecessors,
  type HeldLease,
  type Instance,
  LEASES_CHANGED,
  leave,
  readLeases,
  releaseLeases,
  type Snapshot,
} from './lease-store.ts';
import { Posts, type TermFact } from './posts.ts';
import { type Candidacy, type Term, Terms } from './term.ts';

export type LeaseFact =
  | TermFact
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly retryInMs: number }
  /** The database takes heartbeats and answers again. */
  | { readonly kind: 'resumed' };

export interface LeasesOptions {
  readonly storage: Storage;
  readonly instanceId?: string;
  /**
   * Identifies a resource that only one process can hold at a time, such as a locked folder: earlier processes of the
   * same seat are gone, and their leases need not expire.
   */
  readonly seat?: string | undefined;
  /** A process whose heartbeat stands still for this long is considered dead. */
  readonly leaseMs?: number;
  /** JSON that this process says of itself, for others to read. */
  readonly about?: () => string;
  /** Receives events for logs and metrics; must not throw. */
  readonly onFact?: (fact: LeaseFact) => void;
  /** For times that people read. Decisions use `monotonic`. */
  readonly clock?: Clock;
  readonly monotonic?: () => number;
  readonly sleep?: Sleep;
}

/** How a process shows itself to the others. */
export interface SeenInstance extends Instance {
  readonly isAlive: boolean;
  readonly leads: readonly HeldLease[];
}

const LEAVE_MS = 1_000;
/** Processes that did not say goodbye are listed for this long. */
const FORGET_AFTER_MS = 3_600_000;

/**
 * Decides which of the processes on a database leads for a named role. One heartbeat for each process keeps all its
 * leases; every write of a leader carries the epoch of its term.
 *
 * On SQLite there is one process: all leases are free, nothing expires, and no heartbeat is written.
 */
export class Leases extends Terms implements Candidacy {
  readonly instanceId: string;
  readonly #options: Required<Omit<LeasesOptions, 'instanceId' | 'seat'>> & { readonly seat: string };
  readonly #pace: Pace;
  readonly #isAlone: boolean;
  readonly #heartbeat: Heartbeat;
  readonly #posts: Posts;
  readonly #leftUntil = new Map<string, number>();
  #watch: Watch = NOTHING_SEEN;
  #pauses = 0;
  #lastYield = Number.NEGATIVE_INFINITY;
  #peers: readonly Instance[] = [];
  #isWoken = false;

  constructor({ instanceId = uuidv7(), seat = '', ...options }: LeasesOptions) {
    super();
    this.instanceId = instanceId;
    this.#options = { ...DEFAULTS, ...options, seat };
    const { storage, leaseMs, clock, onFact } = this.#options;
    this.#posts = new Posts({
      storage,
      holder: instanceId,
      onFact: (fact) => {
        onFact(fact);
        this.tell();
      },
    });
    this.#pace = { leaseMs, claimDelayMs: leaseMs / 30, yieldEveryMs: leaseMs };
    this.#isAlone = storage.engine === 'sqlite';
    this.#heartbeat = new Heartbeat({
      ...this.#options,
      isAlone: this.#isAlone,
      own: { id: instanceId, seat, since: clock.now() },
      standsFor: () => [...new Set(this.#posts.roles.map(groupOf))].sort(),
    });
  }

  override term(role: string): Term | undefined {
    return this.#posts.term(role);
  }

  /**
   * A storage that writes under the current epoch of the role, and refuses with `NOT_LEADING` if there is none. For work that
   * runs in a term and passes on its signal: what it does once the term is over is refused by that.
   */
  fenced(role: string): Storage {
    return this.#posts.fenced(role);
  }

  async lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    this.#posts.add(role);
    this.#wake();
    try {
      for (let epoch = 0; !stop.aborted; ) {
        const term = await this.begun(role, epoch, stop);
        ({ epoch } = term);
        await this.#workIn({ ...term, signal: AbortSignal.any([stop, term.signal]) }, work);
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      this.#posts.remove(role);
      this.#wake();
    }
  }

  /** Keeps the heartbeat, claims, releases and yields until the signal aborts, and then gives everything back. */
  async run(signal: AbortSignal): Promise<void> {
    const { storage } = this.#options;
    const stopListening = this.#isAlone ? () => {} : storage.onAnnounced(LEASES_CHANGED, () => this.#wake());
    try {
      await Promise.all([
        this.#loop(signal),
        this.#isAlone ? undefined : this.#heartbeat.run(() => this.#posts.endAll('silent'), signal),
      ]);
    } finally {
      stopListening();
      this.#posts.endAll('done');
      await this.#leave().catch(() => {});
    }
  }

  /** The other live processes, as last seen; what each says of itself is in `about`. */
  get peers(): readonly Instance[] {
    return this.#peers;
  }

  /** All processes on the database, the oldest first. */
  async instances(signal: AbortSignal): Promise<SeenInstance[]> {
    const { storage, leaseMs, monotonic } = this.#options;
    const { leases, holders } = await readLeases(storage, signal);
    const at = { now: monotonic(), leaseMs };
    const about = (holder: Instance): string => (holder.id === this.instanceId ? this.#options.about() : holder.about);
    return holders.map((holder) => ({
      ...holder,
      about: about(holder),
      isAlive: holder.id === this.instanceId || isAlive(this.#watch, holder.id, at),
      leads: leases.filter((lease) => lease.holder === holder.id),
    }));
  }

  async #workIn(term: Term, work: (term: Term) => Promise<void>): Promise<void> {
    try {
      await work(term);
    } catch (error) {
      // A term that ended may end its work with any error.
      if (!term.signal.aborted) throw error;
    } finally {
      this.#posts.worked(term.role);
      this.#wake();
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { leaseMs, onFact } = this.#options;
    const usualMs = leaseMs / 6;
    let isInterrupted = false;
    for (let isFirst = true; !signal.aborted; ) {
      let restMs = usualMs;
      try {
        this.#isWoken = false;
        if (isFirst) await this.#takeSeat(signal);
        isFirst = false;
        restMs = Math.min(usualMs, await this.#turn(signal));
        if (isInterrupted) onFact({ kind: 'resumed' });
        isInterrupted = false;
      } catch (error) {
        if (signal.aborted) return;
        onFact({ kind: 'interrupted', error, retryInMs: usualMs });
        isInterrupted = true;
        if (this.#isAlone) await this.#options.sleep(usualMs, signal).catch(() => {});
        this.#isWoken ||= this.#isAlone;
      }
      await this.#rest(restMs, signal).catch(() => {});
    }
  }

  /** On SQLite, nothing changes but by this process. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isWoken) return;
    const promise = this.changed;
    if (this.#isAlone) return await unlessAborted(promise, signal);
    const over = new AbortController();
    try {
      await Promise.race([promise, this.#options.sleep(ms, AbortSignal.any([signal, over.signal]))]);
    } finally {
      over.abort(RESTED);
    }
  }

  async #takeSeat(signal: AbortSignal): Promise<void> {
    const { storage, seat } = this.#options;
    if (this.#isAlone) await storage.commit([forgetPredecessors(this.instanceId, undefined)], signal);
    else if (seat !== '') await storage.commit([forgetPredecessors(this.instanceId, seat)], signal);
  }

  /** Returns when to look again. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { storage, monotonic, leaseMs } = this.#options;
    const refused = await this.#heartbeat.keep(signal);
    // A process that could not beat for a while did not see the others beat either: they get the time of a lease again.
    const { pauses } = this.#heartbeat;
    if (pauses !== this.#pauses) this.#watch = NOTHING_SEEN;
    this.#pauses = pauses;
    const now = monotonic();
    const seen = await readLeases(storage, signal);
    if (refused !== undefined) {
      this.#heartbeat.confirmed(now);
      this.#posts.check(seen.leases);
      throw refused;
    }
    const observer = { me: this.instanceId, now, leaseMs, roles: this.#posts.roles };
    this.#watch = observe(this.#watch, seen, observer);
    this.#posts.check(seen.leases);
    this.#peers = seen.holders.filter(({ id }) => isAlive(this.#watch, id, observer));
    const { claim, release, yield: yielded, againInMs } = this.#decide(seen, now);
    if (release.length > 0) await this.#release(release, signal);
    for (const { role, seen: lease } of claim) await this.#claim(role, lease, signal);
    if (yielded !== undefined) this.#yield(yielded, now);
    await this.#forgetDead(seen, now, signal);
    return againInMs ?? Number.POSITIVE_INFINITY;
  }

  #decide(seen: Snapshot, now: number) {
    for (const [role, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(role);
    return decide({
      me: this.instanceId,
      now,
      seen,
      watch: this.#watch,
      standing: this.#posts.standings(),
      lastYield: this.#lastYield,
      leftUntil: this.#leftUntil,
      pace: this.#pace,
    });
  }

  async #claim(role: string, lease: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.#options;
    const seenBeat = lease?.holder === undefined ? undefined : this.#watch.beats.get(lease.holder)?.beat;
    const claim = { me: this.instanceId, role, now: clock.now(), lease, beat: seenBeat };
    const epoch = await claimLease(storage, claim, signal);
    if (epoch === undefined) return;
    // If the candidate is gone, what was claimed for it is released in the next turn.
    if (!this.#posts.begin(role, { epoch, lease })) return this.#wake();
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, signal);
  }

  async #release(roles: readonly string[], signal: AbortSignal): Promise<void> {
    const { storage } = this.#options;
    await storage.commit([releaseLeases(storage, this.instanceId, roles)], signal);
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, signal);
  }

  #yield(role: string, now: number): void {
    this.#lastYield = now;
    this.#leftUntil.set(role, now + 2 * this.#pace.leaseMs);
    this.#posts.end(role, 'yielded');
  }

  async #forgetDead({ holders }: Snapshot, now: number, signal: AbortSignal): Promise<void> {
    const gone = holders.filter(({ id }) => now - (this.#watch.beats.get(id)?.since ?? now) > FORGET_AFTER_MS);
    if (gone.length > 0) await this.#options.storage.commit([forgetHolders(gone.map(({ id }) => id))], signal);
  }

  async #leave(): Promise<void> {
    const { storage } = this.#options;
    const late = AbortSignal.timeout(LEAVE_MS);
    await storage.commit(leave(this.instanceId), late);
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, late);
  }

  #wake(): void {
    this.#isWoken = true;
    this.tell();
  }
}

const RESTED = new Error('rested');

const DEFAULTS = {
  leaseMs: 3_000,
  about: () => '{}',
  onFact: () => {},
  clock: systemClock,
  monotonic: () => performance.now(),
  sleep: realSleep,
};
