import { backoffDelay, type Clock, FleetError, Notifier, type Random, type Sleep, unlessAborted } from '#kit/std';
import type { CloseFrame, CloseReason } from '../domain/frame.ts';
import { Heartbeat, MISSED_BEATS } from './heartbeat.ts';
import type { Connect, LinkConnection } from './link.ts';
import { MalformedTally } from './malformed-tally.ts';

/** A user of the connection that reopens its stream on every new one. */
export interface UplinkStream {
  /** Opened first on its connection; all other streams wait for it. */
  readonly isLead: boolean;
  /** Called for each new connection. */
  connected(connection: LinkConnection): void;
  /** The connection was lost, or could not be made. */
  lost(why: string): void;
  /** Does the work that is due; returns when it is due next. */
  tend(now: number): number;
  /** False when there is no open stream to send a ping on. */
  ping(nonce: number): boolean;
}

export type Ended =
  | { readonly kind: 'lost'; readonly why: string; readonly retryAfterMs: number }
  /** `heard`: the other end refused explicitly and will do so again. Otherwise it is a transport error, which may pass. */
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string; readonly heard: boolean }
  /** No stream needs the connection. */
  | { readonly kind: 'idle' };

export interface UplinkPace {
  /** Waits between attempts, with full jitter. */
  readonly baseMs: number;
  readonly capMs: number;
  /**
   * Until an outage has lasted for twice this, waits are no longer than this; then up to half as long as the outage so far, so that no
   * short restart of a peer is met with the waits of a long absence.
   */
  readonly quickMs: number;
  /** After this uptime the backoff starts from the shortest wait again. */
  readonly stableMs: number;
  /** Average wait between attempts after an explicit refusal. */
  readonly refusedMs: number;
  readonly connectWithinMs: number;
  readonly openWithinMs: number;
  /** A bulk connection without channels is closed after this. */
  readonly idleMs: number;
}

export interface UplinkConnectionDeps {
  readonly connect: Connect;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly heartbeatMs: number;
  readonly pace: UplinkPace;
  /** Keep the connection without streams. */
  readonly stayIdle: boolean;
  readonly onConnecting?: () => void;
  readonly onReady?: () => void;
  readonly onEnded?: (ended: Exclude<Ended, { kind: 'idle' }>, retryInMs: number) => void;
}

const CLOSE_WITHIN_MS = 5_000;

/**
 * One connection after the other, with the streams that use it. A single timer serves all: the next heartbeat, or an earlier
 * deadline of a stream.
 */
export class UplinkConnection {
  readonly #deps: UplinkConnectionDeps;
  readonly #wake: Notifier;
  readonly #streams = new Set<UplinkStream>();
  #phase: 'off' | 'connecting' | 'up' | 'resting' = 'off';
  #connection: LinkConnection | undefined;
  #ended: Ended | undefined;
  #ready = false;
  #hasOpened = false;
  #attempt = 0;
  #since: number | undefined;
  /** When the last stable connection ended, or the first attempt failed. */
  #outageSince: number | undefined;
  #tally: MalformedTally;
  #emptySince: number | undefined;
  readonly heartbeat: Heartbeat;

  constructor(deps: UplinkConnectionDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
    this.#tally = new MalformedTally(deps.clock);
    this.heartbeat = new Heartbeat(deps.heartbeatMs, (nonce) => this.#ping(nonce));
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  get pace(): UplinkPace {
    return this.#deps.pace;
  }

  get wanted(): boolean {
    return this.#deps.stayIdle || this.#streams.size > 0;
  }

  /** Streams can be opened now. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** A connection exists or is being made. */
  get isExpected(): boolean {
    return this.#phase === 'connecting' || this.#phase === 'up';
  }

  add(stream: UplinkStream): void {
    this.#streams.add(stream);
    if (this.#connection && (this.#ready || stream.isLead)) stream.connected(this.#connection);
    this.#wake.notify();
  }

  remove(stream: UplinkStream): void {
    this.#streams.delete(stream);
    this.#wake.notify();
  }

  /** Some work is due earlier than announced. */
  hurry(): void {
    this.#wake.notify();
  }

  /** How long to wait after this many failed attempts in a row. */
  delay(attempt: number): number {
    return backoffDelay(this.#deps.pace, attempt, this.#deps.random);
  }

  leadOpened(): void {
    if (!this.#ready) this.#becomeReady();
  }

  leadClosed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    if (why && isRefusal(why.reason))
      this.#end({ kind: 'refused', reason: why.reason, message: why.message, heard: true });
    else this.#lose(why ? why.message || why.reason : 'the control stream was lost', why?.retryAfterMs);
  }

  /** Also the one that is being made. Where there is none, the next is made with what is new already. */
  reconnect(why: string): void {
    if (this.isExpected) this.#lose(why);
  }

  /** A stream was opened: this is the connection to use. */
  opened(): void {
    this.#hasOpened = true;
  }

  /**
   * A stream was refused for now. Behind one address there may be several replicas, and a bulk connection that has never opened
   * a stream may have ended at one that has no session: the next connection may end at another. Control says so itself.
   */
  turnedAway({ reason, message, retryAfterMs }: Omit<CloseFrame, 'kind'>): void {
    const isForNow = reason === 'unavailable' || reason === 'draining';
    if (isForNow && !this.#deps.stayIdle && !this.#hasOpened) this.#lose(message || reason, retryAfterMs);
  }

  malformed(message: string): void {
    if (this.#tally.add()) this.#lose(`too many malformed frames: ${message}`);
  }

  /** Runs until aborted, or until no stream needs the connection. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (this.wanted) {
        const ended = await this.#once(signal);
        if (ended.kind === 'idle') return;
        await this.#rest(ended, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#phase = 'off';
    }
  }

  async #rest(ended: Exclude<Ended, { kind: 'idle' }>, signal: AbortSignal): Promise<void> {
    const { clock, pace, random, sleep } = this.#deps;
    this.#outageSince ??= clock.now();
    const longest = Math.max(pace.quickMs, pace.baseMs, (clock.now() - this.#outageSince) / 2);
    const waits = { baseMs: pace.baseMs, capMs: Math.min(pace.capMs, longest) };
    const after = ended.kind === 'lost' ? ended.retryAfterMs : 0;
    const isSlow = ended.kind === 'refused' && ended.heard;
    const retryInMs = isSlow
      ? Math.floor(pace.refusedMs * (0.5 + random()))
      : after + backoffDelay(waits, this.#attempt, random);
    this.#phase = 'resting';
    this.#deps.onEnded?.(ended, retryInMs);
    await sleep(retryInMs, signal);
  }

  /** One connection, from its beginning to its end. */
  async #once(signal: AbortSignal): Promise<Ended> {
    this.#attempt += 1;
    this.#phase = 'connecting';
    this.#ended = undefined;
    this.#deps.onConnecting?.();
    this.#since = undefined;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(this.#deps.pace.connectWithinMs)]);
      const connection = await this.#deps.connect(within);
      await this.#keep(connection, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#end(refusalOf(error));
    } finally {
      this.#letGo();
    }
    const { clock, pace } = this.#deps;
    if (this.#since !== undefined && clock.now() - this.#since >= pace.stableMs) {
      this.#attempt = 1;
      this.#outageSince = undefined;
    }
    return this.#ended ?? { kind: 'lost', why: 'the connection was lost', retryAfterMs: 0 };
  }

  async #keep(connection: LinkConnection, signal: AbortSignal): Promise<void> {
    try {
      this.#begin(connection);
      while (!this.#ended) {
        const now = this.#deps.clock.now();
        const due = this.#tend(now);
        if (!this.#ended) await this.#wake.wait(due - now, signal);
      }
    } finally {
      this.#connection = undefined;
      await unlessAborted(connection.close(), AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => {});
    }
  }

  #begin(connection: LinkConnection): void {
    this.#connection = connection;
    this.#phase = 'up';
    this.#since = this.#deps.clock.now();
    this.#tally = new MalformedTally(this.#deps.clock);
    this.heartbeat.begin(this.#deps.clock.now());
    this.#emptySince = undefined;
    this.#hasOpened = false;
    const lost = (error: unknown): void => {
      if (this.#connection === connection)
        this.#lose(error instanceof Error ? error.message : 'the connection was lost');
    };
    connection.closed.then(lost, lost);
    const leads = Array.from(this.#streams).filter((stream) => stream.isLead);
    for (const lead of leads) lead.connected(connection);
    if (leads.length === 0) this.#becomeReady();
  }

  #becomeReady(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#ready = true;
    for (const stream of this.#streams) if (!stream.isLead) stream.connected(connection);
    this.#wake.notify();
    this.#deps.onReady?.();
  }

  #letGo(): void {
    const ended = this.#ended;
    this.#connection = undefined;
    this.#ready = false;
    this.#phase = 'resting';
    const why =
      ended?.kind === 'refused'
        ? ended.message
        : ended?.kind === 'lost'
          ? ended.why
          : 'the connection was closed by this end';
    // A copy: a stream's `lost` may open another stream at once, and that one is not lost.
    for (const stream of Array.from(this.#streams)) stream.lost(why);
  }

  #lose(why: string, retryAfterMs = 0): void {
    this.#end({ kind: 'lost', why, retryAfterMs });
  }

  #end(ended: Ended): void {
    this.#ended ??= ended;
    this.#wake.notify();
  }

  #tend(now: number): number {
    let due = Math.min(this.heartbeat.tend(now), this.#idle(now));
    if (this.heartbeat.isLost) this.#lose(`no answer for ${MISSED_BEATS} heartbeats`);
    for (const stream of this.#streams) due = Math.min(due, stream.tend(now));
    return due;
  }

  #ping(nonce: number): boolean {
    for (const stream of this.#streams) if (stream.isLead && stream.ping(nonce)) return true;
    for (const stream of this.#streams) if (stream.ping(nonce)) return true;
    return false;
  }

  #idle(now: number): number {
    if (this.wanted) {
      this.#emptySince = undefined;
      return Number.POSITIVE_INFINITY;
    }
    this.#emptySince ??= now;
    const until = this.#emptySince + this.#deps.pace.idleMs;
    if (now >= until) this.#end({ kind: 'idle' });
    return until;
  }
}

/** Retrying unchanged will not help; an operator has to act. */
function isRefusal(reason: CloseReason): boolean {
  return REFUSALS.has(reason);
}

const REFUSALS: ReadonlySet<CloseReason> = new Set([
  'unauthenticated',
  'revoked',
  'version',
  'forbidden',
  'unknownChannel',
  'malformed',
  'tooLarge',
]);

function refusalOf(error: unknown): Ended {
  const message = error instanceof Error ? error.message : String(error);
  const isLasting = error instanceof FleetError && error.entry.retry === 'after-change';
  if (isLasting) return { kind: 'refused', reason: 'unauthenticated', message, heard: false };
  return { kind: 'lost', why: message, retryAfterMs: 0 };
}
