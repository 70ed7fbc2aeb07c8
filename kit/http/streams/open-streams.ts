import type { Runnable } from '#kit/reconcile';
import { type Clock, FleetError, sleep as realSleep, type Sleep, systemClock } from '#kit/std';
import type { Authenticator, Credentials, HttpLog, Principal } from '../ports.ts';

/** Why a stream was ended from here. */
export const END_CAUSES = ['credentialsEnded', 'permissionLost', 'notConfirmed', 'tooOld'] as const;
export type EndCause = (typeof END_CAUSES)[number];

export interface StreamEnd {
  readonly cause: EndCause;
  /** For the one whose stream it was. */
  readonly message: string;
}

/** An answer that goes on after it was allowed. */
export interface OpenStream {
  /** What it is, for the log: `streamEvents`, `exec`. */
  readonly kind: string;
  /** What was shown, to be asked about once more. */
  readonly credentials: Credentials;
  /** Who that was. */
  readonly principal: Principal;
  /** Given for credentials that count at this place alone: who shows them, as it is known now. */
  identify?(signal: AbortSignal): Promise<Principal | undefined>;
  /** Whether the principal, as it is known now, may still have it. Throws what an authorizer throws. */
  isAllowed(principal: Principal, signal: AbortSignal): Promise<boolean>;
  /** Closes it before it returns. Called once at most. */
  end(why: StreamEnd): void;
}

export interface OpenStreamsDeps {
  readonly authenticator: Authenticator;
  readonly log: HttpLog;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  /** However well it is allowed, a stream ends then, and its client opens another. */
  readonly maxAgeMs?: number;
}

interface Entry {
  readonly stream: OpenStream;
  readonly endsAt: number;
  /** When its credentials end by themselves, as they said last. */
  until: number;
  /** Since when it could not be confirmed. */
  doubtSince: number | undefined;
}

const DAY_MS = 86_400_000;
/** Credentials that expire are noticed after so long. */
const TICK_MS = 1_000;
/** In case the word of a change was lost on its way from another process. */
const CONFIRM_MS = 30_000;
/** For one who cannot be asked about. */
const ASK_MS = 5_000;

/**
 * The streams of this process that were allowed once and are still open, whatever protocol they speak. Each is asked about
 * again as soon as something was revoked, and ended if it would not be opened now. So revocation is one mechanism, and what
 * opens streams only registers them.
 */
export class OpenStreams implements Runnable {
  readonly name = 'open streams';
  readonly #deps: OpenStreamsDeps;
  readonly #clock: Clock;
  readonly #open = new Set<Entry>();
  #changes = 0;
  /** The round under way, and the one behind it, which begins after every change until now. */
  #round: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(deps: OpenStreamsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Noted before a caller is admitted, and shown to `add`: what changed in between is then asked about. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * From here on the stream is ended when it has to be. `since` is what `changes` was before its caller was admitted; without it
   * the stream is asked about at once. Gives what forgets it, for when it is over.
   */
  async add(stream: OpenStream, since?: number): Promise<() => void> {
    const endsAt = this.#clock.now() + (this.#deps.maxAgeMs ?? DAY_MS);
    const until = stream.principal.until ?? Infinity;
    const entry: Entry = { stream, endsAt, until, doubtSince: undefined };
    this.#open.add(entry);
    if (this.#changes !== since) await this.#ask([entry], 'change');
    return () => void this.#open.delete(entry);
  }

  /** Somebody may have lost something, and whoever is asked from now on knows of it. */
  changed(): void {
    this.#changes += 1;
    if (this.#open.size === 0 || this.#next !== undefined) return;
    if (this.#round === undefined) this.#round = this.#begin();
    else this.#next = this.#round.then(() => (this.#round = this.#begin()));
  }

  /** Resolves when every stream that `changed` was called about is either confirmed or closed. */
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

  /** Never rejects. Each token is looked at once, however many streams were opened with it. */
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

  /** In doubt after a revocation it ends; a database that is away for a moment ends nothing that nobody has revoked. */
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
      log.error({ err, name: stream.kind }, 'stream was not ended in order');
    }
  }
}

const MESSAGES: Readonly<Record<EndCause, string>> = {
  credentialsEnded: 'The credentials that opened this stream have expired or were revoked. Log in again.',
  permissionLost: 'The permission that opened this stream was taken away, or what it was about was moved or deleted.',
  notConfirmed: 'The platform could not confirm that this stream is still allowed. Open it again.',
  tooOld: 'This stream has reached the greatest age that the platform allows. Open it again.',
};
