import type { Probe, Route } from '#kit/http';
import type { Runnable } from '#kit/reconcile';
import { aborted, type Sleep, unlessAborted } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { type Incarnation, isHeld, readIncarnation } from '#runtime/instance/incarnation';
import { PlatformError } from '../platform-error.ts';

export interface HoldDeps {
  readonly storage: Storage;
  readonly incarnation: Incarnation;
  readonly sleep: Sleep;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** How soon the other replicas notice that the restore was accepted. */
const LOOK_MS = 1_000;

const ACT = 'an administrator takes the fleet over with: fleetshift restore accept';

/**
 * A restored platform has the fleet of another one, which may still run. Until a person accepts the restore, it serves
 * reads and logins; it leads for nothing, so that it takes no fleetlets, reaches no clusters and executes no rollouts, and
 * it refuses every change. (ADR-0064)
 */
export class Hold {
  readonly #deps: HoldDeps;
  readonly #over = Promise.withResolvers<void>();
  #incarnation: Incarnation;

  constructor(deps: HoldDeps) {
    this.#deps = deps;
    this.#incarnation = deps.incarnation;
    if (!this.isHeld) this.#over.resolve();
  }

  get isHeld(): boolean {
    return isHeld(this.#incarnation);
  }

  get incarnation(): Incarnation {
    return this.#incarnation;
  }

  /** Since when a restored platform follows agents that are ahead of it; `undefined` if it does not. */
  followsSince(): number | undefined {
    const { accepted } = this.#incarnation;
    return accepted?.targetsAhead === 'goBack' ? accepted.time : undefined;
  }

  /** Looks again, as after an acceptance. */
  async refresh(signal: AbortSignal): Promise<void> {
    this.#incarnation =
      (await this.#deps.storage.read((reader) => readIncarnation(reader), signal)) ?? this.#incarnation;
    if (!this.isHeld) this.#over.resolve();
  }

  /** Resolves once the platform is not held; rejects when the signal aborts. */
  async over(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#over.promise, signal);
  }

  /** Notices that another replica accepted the restore. */
  get runnable(): Runnable {
    return { name: 'hold after a restore', run: (signal) => this.#run(signal) };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { sleep, log } = this.#deps;
    if (this.isHeld) log.warn({}, `restored from a backup and held: reads are served and nothing is changed; ${ACT}`);
    const wasHeld = this.isHeld;
    while (this.isHeld && !signal.aborted) {
      await sleep(LOOK_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.refresh(signal).catch((err: unknown) => {
        if (!signal.aborted) log.warn({ err }, 'acceptance of the restore not looked up; retrying');
      });
    }
    if (wasHeld && !this.isHeld) log.info({}, 'restore accepted: taking the fleet over');
    await aborted(signal);
  }

  /** The same work, from the acceptance on. */
  afterwards(runnable: Runnable): Runnable {
    return {
      name: runnable.name,
      run: async (signal) => {
        const isOver = await this.over(signal).then(
          () => true,
          () => false,
        );
        if (isOver) await runnable.run(signal);
      },
    };
  }

  /** Refuses changes while the platform is held: all but logins, and what the named operations do. */
  guard(route: Route, allowed: ReadonlySet<string>): Route {
    const { method, permission, readOnly, operationId, respond } = route;
    const isRead = method === 'GET' || readOnly === true || permission === 'public';
    if (isRead || allowed.has(operationId) || respond.kind !== 'answer') return route;
    const handle: typeof respond.handle = async (request) => {
      if (!this.isHeld) return await respond.handle(request);
      throw new PlatformError('INSTANCE_HELD', `This platform was restored from a backup and changes nothing; ${ACT}.`);
    };
    return { ...route, respond: { kind: 'answer', handle } };
  }

  /** Degraded, not unready: reads are served. */
  get probe(): Probe {
    const check = async (): Promise<undefined> => {
      if (this.isHeld) throw new PlatformError('INSTANCE_HELD', `restored from a backup and held; ${ACT}`);
    };
    return { name: 'restore', onFailure: 'degraded', check };
  }
}
