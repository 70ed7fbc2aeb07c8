import { Semaphore, unlessAborted } from '#kit/std';
import type { Manifest } from '../../../domain/manifest/manifest-strategy.ts';
import { PIPELINE_SETTINGS, type PipelineSettings } from '../pipeline-settings.ts';
import { SharedDeadline } from '../shared-deadline.ts';

type Settings = Pick<PipelineSettings, 'generateWidth' | 'generateMs'>;

/**
 * Limits how many calls of a manifest strategy are under way at once in this process, for plans, deliveries and previews
 * together, and how long each may take. Strategies do not wait for each other.
 */
export class GenerationSlots {
  readonly #settings: Settings;
  readonly #slots = new Map<string, Semaphore>();

  constructor(settings: Partial<Settings> = {}) {
    this.#settings = { ...PIPELINE_SETTINGS, ...settings };
  }

  /** How many callers can be under way at once. */
  widthOf({ width }: Pick<Manifest, 'width'>): number {
    return Math.max(1, Math.min(width, this.#settings.generateWidth));
  }

  async run<T>(
    manifest: Pick<Manifest, 'type' | 'width'>,
    body: (signal: AbortSignal) => T | Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { generateMs } = this.#settings;
    return await this.#slotsOf(manifest).run(async () => {
      const bounded = deadlineOf(signal, generateMs).signal;
      try {
        const made = body(bounded);
        // A strategy that does not observe the signal does not keep its slot.
        return made instanceof Promise ? await unlessAborted(made, bounded) : made;
      } catch (error) {
        if (bounded.aborted && !signal.aborted) {
          throw new Error(`the manifest strategy ${manifest.type} did not answer within ${generateMs} ms`, {
            cause: error,
          });
        }
        throw error;
      }
    }, signal);
  }

  #slotsOf(manifest: Pick<Manifest, 'type' | 'width'>): Semaphore {
    const known = this.#slots.get(manifest.type);
    if (known !== undefined) return known;
    const slots = new Semaphore(this.widthOf(manifest));
    this.#slots.set(manifest.type, slots);
    return slots;
  }
}

/** Calls for the same plan, batch or preview share timers. */
const deadlines = new WeakMap<AbortSignal, SharedDeadline>();

function deadlineOf(signal: AbortSignal, ms: number): SharedDeadline {
  const known = deadlines.get(signal);
  if (known !== undefined) return known;
  const made = new SharedDeadline(ms, signal);
  deadlines.set(signal, made);
  return made;
}
