import { setTimeout as delay } from 'node:timers/promises';
import type { GenerateContext } from '../../domain/manifest/generate-context.ts';
import type { Generated, ManifestStrategy } from '../../domain/manifest/manifest-strategy.ts';

export interface GenerateCall {
  readonly target: string;
  readonly key: string;
  readonly revision: number;
  readonly text: string;
}

/** A strategy that answers every call with another text, so that it shows which call was delivered. */
export class CountingManifest implements ManifestStrategy {
  readonly type = 'counting';
  readonly calls: GenerateCall[] = [];
  /** The most calls that were under way at once. */
  most = 0;
  width = Number.POSITIVE_INFINITY;
  latencyMs = 0;
  /** May throw, or keep the caller waiting. */
  before: (context: GenerateContext, signal: AbortSignal) => void | Promise<void> = () => {};
  #answers = 0;
  #underWay = 0;

  parse(spec: unknown) {
    return { kind: 'parsed', value: spec } as const;
  }

  reads(): readonly string[] {
    return ['/labels/tier'];
  }

  fits(): undefined {
    return undefined;
  }

  async generate(_: unknown, context: GenerateContext, signal: AbortSignal): Promise<Generated> {
    this.#underWay += 1;
    this.most = Math.max(this.most, this.#underWay);
    try {
      await this.before(context, signal);
      if (this.latencyMs > 0) await delay(this.latencyMs, undefined, { signal });
      const text = `call ${this.#answers++}`;
      const { target, revision, idempotencyKey: key } = context;
      this.calls.push({ target: target.name, key, revision, text });
      return { kind: 'generated', documents: [{ kind: 'Note', metadata: { name: 'note' }, text }] };
    } finally {
      this.#underWay -= 1;
    }
  }

  /** The keys for which it answered more than once. */
  repeated(): readonly string[] {
    const times = Map.groupBy(this.calls, ({ key }) => key);
    return [...times].filter(([, its]) => its.length > 1).map(([key]) => key);
  }
}
