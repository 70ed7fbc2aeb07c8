import type { Runnable } from '#kit/reconcile';
import { type Clock, FleetError, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Authenticator, Credentials, HttpLog, Principal } from '../ports.ts';

/** Why a stream was ended by the server. */
const END_CAUSES = ['credentialsEnded', 'permissionLost', 'notConfirmed', 'tooOld'] as const;
export type EndCause = (typeof END_CAUSES)[number];

export interface StreamEnd {
  readonly cause: EndCause;
  /** For the client of the stream. */
  readonly message: string;
}

/** A response that continues after it was authorized. */
export interface OpenStream {
  /** The kind of stream, for the log: `streamEvents`, `exec`. */
  readonly kind: string;
  /** The presented credentials, to be checked again. */
  readonly credentials: Credentials;
  /** The principal at that time. */
  readonly principal: Principal;
  /** For credentials that are valid only at this place: identifies their current principal. */
  identify?(signal: AbortSignal): Promise<Principal | undefined>;
  /** Whether the current principal may still have the stream. Throws the errors of an authorizer. */
  isAllowed(principal: Principal, signal: AbortSignal): Promise<boolean>;
  /** Closes the stream before it returns. Called at most once. */
  end(why: StreamEnd): void;
}

export interface OpenStreamsDeps {
  readonly authenticator: Authenticator;
  readonly log: HttpLog;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  /** Maximum age: the stream ends then even if it is still allowed, and its client opens another. */
  readonly maxAgeMs?: number;
}

interface Entry {
  readonly stream: OpenStream;
  readonly endsAt: number;
  /** When the credentials expire, as of the last check. */
  until: number;
  /** Since when the stream could not be confirmed. */
  doubtSince: number | undefined;
}

const DAY_MS = 86_400_000;
/** How soon expired credentials are noticed. */
const TICK_MS = 1_000;
/** Interval of full checks, in case a change notification from another process was lost. */
const CONFIRM_MS = 30_000;
/** Time limit of one check. */
const ASK_MS = 5_000;

/**
 * The open streams of this process, whatever protocol they use. Each is checked again after every revocation, and ended
 * if it would not be opened now. Revocation is thus a single mechanism, and code that opens streams only registers
 * them.
 */
export class OpenStreams implements Runnable {
  readonly name = 'open streams';
  readonly #deps: OpenStreamsDeps;
  readonly #clock: Clock;
  readonly #open = new Set<Entry>();
  #changes = 0;
  /** The current round of checks, and the next one, which starts after all changes until now. */
  #round: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(deps: OpenStreamsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Read before a caller is admitted, and passed to `add`: if it changed in between, the stream is checked. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Registers a stream. `since` is the value of `changes` before its caller was admitted; without it the stream is
   * checked at once. Returns a function that removes the stream, for when it is over.
   */
  async add(stream: OpenStream, since?: number): Promise<() => void> {
    const endsAt = this.#clock.now() + (this.#deps.maxAgeMs ?? DAY_MS);
    const until = stream.principal.until ?? Infinity;
    const entry: Entry = { stream, endsAt, until, doubtSince: undefined };
    this.#open.add(entry);
    if (this.#changes !== since) await this.#ask([entry], 'change');
    return () => void this.#open.delete(entry);
  }

  /** Access may have been revoked, and the authenticator and authorizer already know. */
  changed(): void {
    this.#changes += 1;
    if (this.#open.size === 0 || this.#next !== undefined) return;
    if (this.#round === undefined) this.#round = this.#begin();
    else this.#next = this.#round.then(() => (this.#round = this.#begin()));
  }

  /** Resolves when every stream affected by the calls of `changed` is either confirmed or closed. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#round);
  }

  async run(signal: AbortSignal): Promise<void> {
    const sleep = this.#deps.sleep ?? realSleep;
    let confirmedAt = this.#clock.now();
    while (!signal.aborted) {
      try {
        await sleep(TICK_MS, signal);
      } catch {
        return;
      }
      const now = this.#clock.now();
      for (const entry of this.#open) if (entry.endsAt <= now) this.#end(entry, 'tooOld');
      const isDue = now - confirmedAt >= CONFIRM_MS;
      if (isDue) confirmedAt = now;
      await this.#ask(
        [...this.#open].filter(({ until }) => isDue || until <= now),
        'time',
      );
    }
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    return this.#ask([...this.#open], 'change').finally(() => {
      this.#round = undefined;
    });
  }

  /** Never rejects. Each token is checked once, however many streams were opened with it. */
  async #ask(entries: readonly Entry[], cause: 'change' | 'time'): Promise<void> {
    if (entries.length === 0) return;
    const signal = AbortSignal.timeout(ASK_MS);
    const known = new Map<string, Promise<Principal | undefined>>();
    const { authenticator } = this.#deps;
    const identify = (credentials: Credentials): Promise<Principal | undefined> => {
      const { bearer } = credentials;
      if (bearer === undefined) return authenticator.authenticate(credentials, signal);
      const asked = known.get(bearer) ?? authenticator.authenticate(credentials, signal);
      known.set(bearer, asked);
      return asked;
    };
    await Promise.all(
      entries.map(async (entry) => {
        const verdict = await this.#judge(entry, identify, signal);
        if (verdict !== 'allowed') this.#conclude(entry, verdict, cause);
        else entry.doubtSince = undefined;
      }),
    );
  }

  async #judge(
    entry: Entry,
    identify: (credentials: Credentials) => Promise<Principal | undefined>,
    signal: AbortSignal,
  ): Promise<'allowed' | EndCause> {
    const { stream } = entry;
    const { credentials, principal } = stream;
    try {
      const now = await (stream.identify === undefined ? identify(credentials) : stream.identify(signal));
      if (now === undefined || now.kind !== principal.kind || now.id !== principal.id) return 'credentialsEnded';
      entry.until = now.until ?? Infinity;
      return (await entry.stream.isAllowed(now, signal)) ? 'allowed' : 'permissionLost';
    } catch (error) {
      return error instanceof FleetError && error.entry.category === 'not-found' ? 'permissionLost' : 'notConfirmed';
    }
  }

  /**
   * If a check after a revocation fails, the stream ends. If a periodic check fails, the stream stays: a short database
   * outage ends no stream.
   */
  #conclude(entry: Entry, verdict: EndCause, cause: 'change' | 'time'): void {
    const now = this.#clock.now();
    if (verdict === 'notConfirmed' && cause === 'time') {
      entry.doubtSince ??= now;
      if (now - entry.doubtSince < CONFIRM_MS) return;
    }
    this.#end(entry, verdict);
  }

  #end(entry: Entry, cause: EndCause): void {
    if (!this.#open.delete(entry)) return;
    const { stream } = entry;
    const { kind, id } = stream.principal;
    const { log } = this.#deps;
    log.info({ name: stream.kind, principal: { kind, id }, reason: cause }, 'stream ended by the platform');
    try {
      stream.end({ cause, message: MESSAGES[cause] });
    } catch (err) {
      log.error({ err, name: stream.kind }, 'ending a stream failed');
    }
  }
}

const MESSAGES: Readonly<Record<EndCause, string>> = {
  credentialsEnded: 'The credentials that opened this stream have expired or were revoked. Log in again.',
  permissionLost: 'The permission for this stream was revoked, or its resource was moved or deleted.',
  notConfirmed: 'The platform could not confirm that this stream is still allowed. Open it again.',
  tooOld: 'This stream has reached the maximum age. Open it again.',
};
