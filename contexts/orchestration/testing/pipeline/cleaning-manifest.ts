import type { RemovedContext } from '../../domain/manifest/generate-context.ts';
import type { Generated, ManifestStrategy } from '../../domain/manifest/manifest-strategy.ts';

/** A strategy that keeps something about each target, and cleans it up once for each idempotency key. */
export class CleaningManifest implements ManifestStrategy {
  readonly type = 'cleaning';
  readonly isUniform = true;
  /** Outlives the process, as the database of an addon does. */
  readonly effects: string[] = [];
  readonly calls: RemovedContext[] = [];
  readonly #keys = new Set<string>();
  /** May throw, or keep the caller waiting: before the effect, and after it, as when the answer gets lost. */
  before: (context: RemovedContext, signal: AbortSignal) => void | Promise<void> = () => {};
  after: (context: RemovedContext) => void = () => {};

  parse(spec: unknown) {
    return { kind: 'parsed', value: spec } as const;
  }

  reads(): readonly string[] {
    return [];
  }

  fits(): undefined {
    return undefined;
  }

  generate(): Generated {
    return { kind: 'generated', documents: [{ kind: 'Note', metadata: { name: 'note' }, text: 'one' }] };
  }

  async onRemoved(context: RemovedContext, signal: AbortSignal): Promise<void> {
    this.calls.push(context);
    await this.before(context, signal);
    const { idempotencyKey, target } = context;
    if (!this.#keys.has(idempotencyKey)) this.effects.push(target.name);
    this.#keys.add(idempotencyKey);
    this.after(context);
  }
}
