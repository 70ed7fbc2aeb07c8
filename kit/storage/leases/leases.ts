import { type Clock, sleep as realSleep, type Sleep, systemClock, unlessAborted, uuidv7 } from '#kit/std';
import type { Storage } from '../port.ts';
import { StorageError } from '../storage-error.ts';
import {
  decide,
  groupOf,
  isAlive,
  type Lease,
  NOTHING_SEEN,
  observe,
  type Pace,
  type Standing,
  type Watch,
} from './decide.ts';
import { type Fence, fencedStorage } from './fenced-storage.ts';
import { LeaseError } from './lease-error.ts';
import {
  advanceLease,
  beat,
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

export type LeaseFact =
  | { readonly kind: 'leading'; readonly role: string; readonly epoch: number }
  | { readonly kind: 'ended'; readonly role: string; readonly epoch: number; readonly why: EndOfTerm }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly retryInMs: number };

/** `done`: its work returned; `lost`: another process leads; `silent`: no heartbeat could be written. */
export type EndOfTerm = 'done' | 'lost' | 'silent' | 'yielded';

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

/** One period of leading, from its claim until it ends. */
export interface Term {
  readonly role: string;
  readonly epoch: number;
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** Writes commit only while this is the current term. */
  readonly storage: Storage;
  /** Begins a new epoch of the same term: what is still being written under the former one does not commit after this. */
  advance(signal: AbortSignal): Promise<void>;
}

/** What the embedded engine and others need: to stand for a role. */
export interface Candidacy {
  /**
   * Stands for the role until `stop`, and runs the work in each of its terms. When the work returns, its term is over, and
   * the next begins with a new epoch. Rejects as soon as the work does; then this process no longer stands for the role.
   */
  lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void>;
}

interface Post {
  standing: Standing;
  current: { readonly term: Term; readonly over: AbortController; fence: Fence } | undefined;
}

/** How a process shows itself to the others. */
export interface SeenInstance extends Instance {
  readonly isAlive: boolean;
  readonly leads: readonly HeldLease[];
}

/** The database can be read, and no process can write. */
const NO_WRITES: ReadonlySet<string> = new Set(['DISK_FULL', 'DATABASE_READ_ONLY']);
const LEAVE_MS = 1_000;
/** Processes that did not say goodbye are listed for this long. */
const FORGET_AFTER_MS = 3_600_000;

/**
 * Decides which of the processes on a database leads for a named role. One heartbeat for each process keeps all its
 * leases; every write of a leader carries the epoch of its term.
 *
 * On SQLite there is one process: all leases are free, nothing expires, and no heartbeat is written.
 */
export class Leases implements Candidacy {
  readonly instanceId: string;
  readonly #options: Required<Omit<LeasesOptions, 'instanceId' | 'seat'>> & { readonly seat: string };
  readonly #pace: Pace;
  readonly #isAlone: boolean;
  readonly #since: number;
  readonly #posts = new Map<string, Post>();
  readonly #leftUntil = new Map<string, number>();
  #watch: Watch = NOTHING_SEEN;
  #lastBeat = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #lastYield = Number.NEGATIVE_INFINITY;
  #standsFor = '';
  #peers: readonly Instance[] = [];
  #changed = Promise.withResolvers<void>();
  #isWoken = false;

  constructor({ instanceId = uuidv7(), seat = '', ...options }: LeasesOptions) {
    this.instanceId = instanceId;
    this.#options = { ...DEFAULTS, ...options, seat };
    const { storage, leaseMs, clock } = this.#options;
    this.#pace = { leaseMs, claimDelayMs: leaseMs / 30, yieldEveryMs: leaseMs };
    this.#isAlone = storage.engine === 'sqlite';
    this.#since = clock.now();
  }

  /** The current term of this process; `undefined` while another one leads. */
  term(role: string): Term | undefined {
    return this.#posts.get(role)?.current?.term;
  }

  /** Resolves with the current term, or the next one, if it is later than this epoch. */
  async begun(role: string, after: number, signal: AbortSignal): Promise<Term> {
    for (;;) {
      signal.throwIfAborted();
      const term = this.term(role);
      if (term !== undefined && term.epoch > after) return term;
      await unlessAborted(this.#changed.promise, signal);
    }
  }

  /** Runs the work in each term of a role that another part of this process stands for. */
  async whileLeading(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    for (let epoch = 0; !stop.aborted; ) {
      try {
        const term = await this.begun(role, epoch, stop);
        ({ epoch } = term);
        await work({ ...term, signal: AbortSignal.any([stop, term.signal]) });
      } catch (error) {
        if (stop.aborted) return;
        if (this.term(role)?.epoch === epoch) throw error;
      }
    }
  }

  /** A storage that writes under the current epoch of the role, and refuses with `NOT_LEADING` if there is none. */
  fenced(role: string): Storage {
    return this.#fenced(() => {
      const current = this.#posts.get(role)?.current;
      if (current === undefined) throw new LeaseError('NOT_LEADING', `write as leader for ${role}`);
      return current.fence;
    });
  }

  async lead(role: string, work: (term: Term) => Promise<void>, stop: AbortSignal): Promise<void> {
    if (this.#posts.has(role)) throw new RangeError(`this process stands for ${role} already`);
    const post: Post = { standing: 'idle', current: undefined };
    this.#posts.set(role, post);
    this.#wake();
    try {
      for (let epoch = 0; !stop.aborted; ) {
        const term = await this.begun(role, epoch, stop);
        ({ epoch } = term);
        await this.#workIn(post, { ...term, signal: AbortSignal.any([stop, term.signal]) }, work);
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      this.#posts.delete(role);
      this.#wake();
    }
  }

  /** Keeps the heartbeat, claims, releases and yields until the signal aborts, and then gives everything back. */
  async run(signal: AbortSignal): Promise<void> {
    const { storage } = this.#options;
    const stopListening = this.#isAlone ? () => {} : storage.onAnnounced(LEASES_CHANGED, () => this.#wake());
    try {
      await Promise.all([this.#loop(signal), this.#isAlone ? undefined : this.#watchSilence(signal)]);
    } finally {
      stopListening();
      for (const [role, post] of this.#posts) this.#end(role, post, 'done');
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

  async #workIn(post: Post, term: Term, work: (term: Term) => Promise<void>): Promise<void> {
    try {
      await work(term);
    } catch (error) {
      // A term that ended may end its work with any error.
      if (!term.signal.aborted) throw error;
    } finally {
      this.#end(term.role, post, 'done');
      post.standing = 'idle';
      this.#wake();
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { leaseMs, onFact } = this.#options;
    const usualMs = leaseMs / 6;
    for (let isFirst = true; !signal.aborted; ) {
      let restMs = usualMs;
      try {
        this.#isWoken = false;
        if (isFirst) await this.#takeSeat(signal);
        isFirst = false;
        restMs = Math.min(usualMs, await this.#turn(signal));
      } catch (error) {
        if (signal.aborted) return;
        onFact({ kind: 'interrupted', error, retryInMs: usualMs });
        if (this.#isAlone) await this.#options.sleep(usualMs, signal).catch(() => {});
        this.#isWoken ||= this.#isAlone;
      }
      await this.#rest(restMs, signal).catch(() => {});
    }
  }

  /** On SQLite, nothing changes but by this process. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isWoken) return;
    const { promise } = this.#changed;
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
    // A process that could not beat for so long did not see the others beat either: they get the time of a lease again.
    if (!this.#isAlone && monotonic() - this.#lastBeat > (2 * leaseMs) / 3) this.#watch = NOTHING_SEEN;
    const refused = await this.#beat(signal);
    const now = monotonic();
    const seen = await readLeases(storage, signal);
    if (refused !== undefined) {
      this.#confirmedAt = now;
      this.#checkTerms(seen);
      throw refused;
    }
    const observer = { me: this.instanceId, now, leaseMs, roles: [...this.#posts.keys()] };
    this.#watch = observe(this.#watch, seen, observer);
    this.#checkTerms(seen);
    this.#peers = seen.holders.filter(({ id }) => isAlive(this.#watch, id, observer));
    const { claim, release, yield: yielded, againInMs } = this.#decide(seen, now);
    if (release.length > 0) await this.#release(release, signal);
    for (const { role, seen: lease } of claim) await this.#claim(role, lease, signal);
    const post = yielded === undefined ? undefined : this.#posts.get(yielded);
    if (yielded !== undefined && post !== undefined) this.#yield(yielded, post, now);
    await this.#forgetDead(seen, now, signal);
    return againInMs ?? Number.POSITIVE_INFINITY;
  }

  #decide(seen: Snapshot, now: number) {
    const standing = new Map([...this.#posts].map(([role, post]) => [role, post.standing]));
    for (const [role, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(role);
    return decide({
      me: this.instanceId,
      now,
      seen,
      watch: this.#watch,
      standing,
      lastYield: this.#lastYield,
      leftUntil: this.#leftUntil,
      pace: this.#pace,
    });
  }

  /** Returns the error if the database takes no writes: then no other process can claim a lease either. */
  async #beat(signal: AbortSignal): Promise<StorageError | undefined> {
    const { storage, clock, monotonic, leaseMs, seat, about } = this.#options;
    const begun = monotonic();
    const standsFor = [...new Set([...this.#posts.keys()].map(groupOf))].sort();
    const isDue = begun - this.#lastBeat >= (this.#isAlone ? Number.POSITIVE_INFINITY : leaseMs / 3);
    const isChanged = !this.#isAlone && standsFor.join() !== this.#standsFor;
    if (!isDue && !isChanged) return undefined;
    const own = { id: this.instanceId, seat, since: this.#since, now: clock.now(), standsFor, about: about() };
    try {
      await storage.commit([beat(own)], signal);
    } catch (error) {
      if (error instanceof StorageError && NO_WRITES.has(error.code)) return error;
      throw error;
    }
    [this.#lastBeat, this.#confirmedAt] = [begun, begun];
    this.#standsFor = standsFor.join();
    return undefined;
  }

  /** A process that cannot write its heartbeat stops leading before another one may begin. */
  async #watchSilence(signal: AbortSignal): Promise<void> {
    const { monotonic, leaseMs, sleep } = this.#options;
    const limitMs = (2 / 3) * leaseMs;
    for (let isSecond = false; !signal.aborted; ) {
      const silentMs = monotonic() - this.#confirmedAt;
      const isSilent = silentMs >= limitMs;
      if (isSilent && isSecond) for (const [role, post] of this.#posts) this.#end(role, post, 'silent');
      // A process that did not run for a while looks twice: a heartbeat may have been answered meanwhile.
      isSecond = isSilent;
      const restMs = isSilent ? leaseMs / 6 : limitMs - silentMs;
      await sleep(restMs, signal).catch(() => {});
    }
  }

  /** Terms that others have taken meanwhile. */
  #checkTerms({ leases }: Snapshot): void {
    for (const [role, post] of this.#posts) {
      const { current } = post;
      if (current === undefined) continue;
      const lease = leases.find((each) => each.role === role);
      if (lease?.holder !== this.instanceId) this.#end(role, post, 'lost');
    }
  }

  async #claim(role: string, lease: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { storage, clock, onFact } = this.#options;
    const seenBeat = lease?.holder === undefined ? undefined : this.#watch.beats.get(lease.holder)?.beat;
    const claim = { me: this.instanceId, role, now: clock.now(), lease, beat: seenBeat };
    const epoch = await claimLease(storage, claim, signal);
    const post = this.#posts.get(role);
    if (epoch === undefined || post === undefined || post.standing !== 'idle') return this.#wakeIf(epoch !== undefined);
    const over = new AbortController();
    const term: Term = {
      role,
      epoch,
      signal: over.signal,
      storage: this.#fenced(() => fenceOf(current, over)),
      advance: (stop) => this.#advance(current, stop),
    };
    const current = { term, over, fence: { role, holder: this.instanceId, epoch } };
    post.standing = 'leading';
    post.current = current;
    onFact({ kind: 'leading', role, epoch });
    this.#tell();
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, signal);
  }

  /** The candidate is gone: what was claimed for it is released in the next turn. */
  #wakeIf(isClaimed: boolean): void {
    if (isClaimed) this.#wake();
  }

  async #advance(current: { readonly over: AbortController; fence: Fence }, signal: AbortSignal): Promise<void> {
    const before = fenceOf(current, current.over);
    const epoch = await advanceLease(this.#options.storage, before, signal);
    const { role } = before;
    if (epoch !== undefined) {
      current.fence = { ...before, epoch };
      return;
    }
    const post = this.#posts.get(role);
    if (post?.current?.fence === before) this.#end(role, post, 'lost');
    throw new LeaseError('EPOCH_ENDED', `lead for ${role}`);
  }

  async #release(roles: readonly string[], signal: AbortSignal): Promise<void> {
    const { storage } = this.#options;
    await storage.commit([releaseLeases(this.instanceId, roles)], signal);
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, signal);
  }

  #yield(role: string, post: Post, now: number): void {
    this.#lastYield = now;
    this.#leftUntil.set(role, now + 2 * this.#pace.leaseMs);
    this.#end(role, post, 'yielded');
  }

  async #forgetDead({ holders }: Snapshot, now: number, signal: AbortSignal): Promise<void> {
    const gone = holders.filter(({ id }) => now - (this.#watch.beats.get(id)?.since ?? now) > FORGET_AFTER_MS);
    if (gone.length > 0) await this.#options.storage.commit([forgetHolders(gone.map(({ id }) => id))], signal);
  }

  #fenced(fence: () => Fence): Storage {
    return fencedStorage({
      storage: this.#options.storage,
      fence,
      onEnded: ({ role, epoch }) => {
        const post = this.#posts.get(role);
        if (post?.current?.fence.epoch === epoch) this.#end(role, post, 'lost');
      },
    });
  }

  #end(role: string, post: Post, why: EndOfTerm): void {
    const { current } = post;
    if (current === undefined) return;
    post.current = undefined;
    post.standing = 'ending';
    current.over.abort(new LeaseError('EPOCH_ENDED', `lead for ${role}`));
    this.#options.onFact({ kind: 'ended', role, epoch: current.term.epoch, why });
    this.#tell();
  }

  async #leave(): Promise<void> {
    const { storage } = this.#options;
    const late = AbortSignal.timeout(LEAVE_MS);
    await storage.commit(leave(this.instanceId), late);
    if (!this.#isAlone) await storage.announce(LEASES_CHANGED, late);
  }

  #wake(): void {
    this.#isWoken = true;
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const RESTED = new Error('rested');

function fenceOf({ fence }: { readonly fence: Fence }, over: AbortController): Fence {
  if (over.signal.aborted) throw new LeaseError('NOT_LEADING', `write as leader for ${fence.role}`);
  return fence;
}

const DEFAULTS = {
  leaseMs: 3_000,
  about: () => '{}',
  onFact: () => {},
  clock: systemClock,
  monotonic: () => performance.now(),
  sleep: realSleep,
};
