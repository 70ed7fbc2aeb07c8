import { backoffDelay, type Clock, parseUuid, type Random, type Sleep, unlessAborted } from '#kit/std';
import type { ManifestRegistry } from '../../domain/manifest/manifest-strategy.ts';
import type { OwedRemoval, Units } from '../ports.ts';

export interface CarryOutRemovalsDeps {
  readonly units: Pick<Units, 'read' | 'write'>;
  readonly manifests: ManifestRegistry;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Called with errors, which are retried; must not throw. */
  readonly onTrouble: (error: unknown) => void;
  readonly settings?: Partial<RemovalSettings>;
}

export interface RemovalSettings {
  readonly callWithinMs: number;
  /** How many calls are under way at once. */
  readonly width: number;
}

const SETTINGS: RemovalSettings = { callWithinMs: 10_000, width: 16 };
/** A call that nothing was heard of, as after a crash, is repeated this long after its time limit. */
const GRACE_MS = 5_000;
const RETRY = { baseMs: 1_000, capMs: 300_000 };
const LOOK_MS = 1_000;
const MOST_CHARS = 500;

/** Calls `onRemoved` of the strategies that are owed it, until each call has succeeded. */
export class CarryOutRemovals {
  readonly #deps: CarryOutRemovalsDeps;
  readonly #settings: RemovalSettings;

  constructor(deps: CarryOutRemovalsDeps) {
    this.#deps = deps;
    this.#settings = { ...SETTINGS, ...deps.settings };
  }

  readonly name = 'owed removals';

  async run(signal: AbortSignal): Promise<void> {
    const { sleep, onTrouble } = this.#deps;
    for (;;) {
      signal.throwIfAborted();
      const taken = await this.#tryRound(signal, onTrouble);
      if (taken < this.#settings.width) await sleep(LOOK_MS, signal);
    }
  }

  async #tryRound(signal: AbortSignal, onTrouble: (error: unknown) => void): Promise<number> {
    try {
      return await this.round(signal);
    } catch (error) {
      signal.throwIfAborted();
      onTrouble(error);
      return 0;
    }
  }

  /** Takes what is due, as much as is called at once; resolves to how many that were. */
  async round(signal: AbortSignal): Promise<number> {
    const { units, clock } = this.#deps;
    const { width: limit, callWithinMs } = this.#settings;
    const now = clock.now();
    if (!(await units.read(({ removals }) => removals.isDue(now, signal), signal))) return 0;
    const due = { now, until: now + callWithinMs + GRACE_MS, limit };
    const owed = await units.write(({ removals }) => removals.claim(due, signal), signal);
    await Promise.all(owed.map((each) => this.#carryOut(each, signal)));
    return owed.length;
  }

  async #carryOut(owed: OwedRemoval, signal: AbortSignal): Promise<void> {
    const { units, clock, random } = this.#deps;
    const { context } = owed;
    const message = await this.#call(owed, signal);
    signal.throwIfAborted();
    await units.write(async ({ removals, deployments }) => {
      if (message === undefined) await removals.drop(context, signal);
      else {
        const nextTime = clock.now() + backoffDelay(RETRY, owed.attempts + 1, random);
        await removals.failed(context, { message, nextTime }, signal);
      }
      // A deployment that is being deleted waits for it, and shows what it waits for.
      const uid = parseUuid(context.deployment.uid);
      const deployment = await deployments.get(uid, signal);
      const isNews = message === undefined || message !== owed.failure;
      if (deployment?.deletion !== undefined && isNews) await deployments.wake(uid, signal);
    }, signal);
  }

  /** The reason why it failed, if it did. */
  async #call({ strategy: type, context }: OwedRemoval, signal: AbortSignal): Promise<string | undefined> {
    const strategy = this.#deps.manifests.get(type);
    if (strategy === undefined) return `manifest strategy ${type} is not registered`;
    // It does not have to be told any more.
    if (strategy.onRemoved === undefined) return undefined;
    const bounded = AbortSignal.timeout(this.#settings.callWithinMs);
    try {
      const either = AbortSignal.any([signal, bounded]);
      // A strategy that ignores its signal holds up no other.
      await unlessAborted(strategy.onRemoved(context, either), either);
      return undefined;
    } catch (error) {
      const why = bounded.aborted
        ? 'it did not answer in time'
        : error instanceof Error
          ? error.message
          : String(error);
      return why.slice(0, MOST_CHARS);
    }
  }
}
