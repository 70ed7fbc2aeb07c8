import { inPieces, Notifier, type Sleep } from '#kit/std';
import type { EffectiveSchema } from '../../domain/index-schema.ts';
import type { SchemaDirectory } from '../schemas/schema-directory.ts';
import type { IndexAgents } from './ports.ts';

export interface SchemaPushDeps {
  readonly directory: Pick<SchemaDirectory, 'effective'>;
  readonly agents: IndexAgents;
  /** The uids of targets whose agents are connected to this process. */
  readonly connected: () => readonly string[];
  readonly sleep: Sleep;
  readonly onTrouble: (error: unknown) => void;
}

/** Also checked periodically: targets are moved between workspaces, and notifications from other processes get lost. */
const LOOK_MS = 30_000;
const SEND_MS = 10_000;
const AT_ONCE = 64;

/** Notifies agents when their effective schema has changed. */
export class SchemaPush {
  readonly #deps: SchemaPushDeps;
  readonly #wake: Notifier;
  /** The revision last sent to each connected agent. */
  readonly #told = new Map<string, string>();

  constructor(deps: SchemaPushDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  /** Schemas have changed. */
  raise(): void {
    this.#wake.notify();
  }

  /** The current schema of a target, for its agent. It counts as sent. */
  async schemaOf(target: string, signal: AbortSignal): Promise<EffectiveSchema | undefined> {
    const schema = (await this.#deps.directory.effective([target], signal)).get(target);
    if (schema === undefined) this.#told.delete(target);
    else this.#told.set(target, schema.revision);
    return schema;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#wake.wait(LOOK_MS, signal);
        await this.#look(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onTrouble(error);
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const connected = new Set(this.#deps.connected());
    for (const target of this.#told.keys()) if (!connected.has(target)) this.#told.delete(target);
    const effective = await this.#deps.directory.effective([...this.#told.keys()], signal);
    const changed = [...this.#told].flatMap(([target, revision]) => {
      const now = effective.get(target)?.revision;
      return now === undefined || now === revision ? [] : [target];
    });
    for (const some of inPieces(changed, AT_ONCE)) {
      await Promise.all(some.map((target) => this.#refresh(target, signal)));
    }
  }

  /** An agent that cannot be notified asks by itself when it reconnects, or is notified with the next check. */
  async #refresh(target: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.agents.send(
        target,
        { kind: 'refresh' },
        AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
      );
    } catch (error) {
      if (!signal.aborted) this.#deps.onTrouble(error);
    }
  }
}
