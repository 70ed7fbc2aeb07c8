import { isKubeError, type KubeClient } from '#kit/kube';
import { type Change, type Informer, InformerFactory } from '#kit/kube/cache';
import { backoffDelay, sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { FollowedKind, ObservedObject } from '../application/ports.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { DEPLOYMENT_LABEL, type KubeObject, type ObjectKey } from '../domain/kube-object.ts';
import { type TrimmedObject, trimObject } from './trim-object.ts';

export interface KindFollowerDeps {
  readonly client: KubeClient;
  readonly log: Logger | undefined;
  readonly patternsFor: (deployment: string, object: KubeObject) => readonly FieldPattern[];
  readonly changed: (change: Change<TrimmedObject>) => void;
  readonly synced: () => void;
}

const UNSERVED = { baseMs: 250, capMs: 5_000 };
const LATE_MS = 5_000;

/** Watches all objects of a kind that carry the tracking label. A kind that is not served is retried. */
export class KindFollower {
  readonly kind: FollowedKind;
  readonly #deps: KindFollowerDeps;
  readonly #over = new AbortController();
  #informer: Informer<TrimmedObject> | undefined;
  #again = new AbortController();
  #isUnserved = false;

  constructor(deps: KindFollowerDeps, kind: FollowedKind) {
    this.#deps = deps;
    this.kind = kind;
  }

  /** A kind that the server does not know has no objects. */
  get isSynced(): boolean {
    return this.#isUnserved || (this.#informer?.hasSynced ?? false);
  }

  observedObject({ namespace, name }: ObjectKey): ObservedObject | undefined {
    const object = this.#informer?.cache.get({ namespace, name });
    return object && { object, held: object.held };
  }

  get objects(): readonly TrimmedObject[] {
    return this.#informer?.cache.list() ?? [];
  }

  /** Starts over, because the kind itself was recreated. */
  restart(): void {
    this.#again.abort();
  }

  stop(): void {
    this.#over.abort();
  }

  /** Runs until the signal aborts or it is stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#over.signal]);
    for (let attempt = 1; !stop.aborted; attempt += 1) {
      this.#again = new AbortController();
      const once = AbortSignal.any([stop, this.#again.signal]);
      try {
        await this.#follow(once);
      } catch (error) {
        if (once.aborted) {
          attempt = 0;
          continue;
        }
        this.#informer = undefined;
        this.#isUnserved = isKubeError(error, 'KIND_NOT_SERVED');
        if (this.#isUnserved) this.#deps.synced();
        else this.#deps.log?.warn({ err: error, subject: this.kind.kind }, 'watch of kind failed; retrying');
        await sleep(backoffDelay(UNSERVED, attempt, Math.random), once).catch(() => {});
      }
    }
    this.#informer = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client, log, patternsFor, changed, synced } = this.#deps;
    const { apiVersion, kind, isWhole } = this.kind;
    const resource = await client.discovery.resourceFor(apiVersion, kind, signal);
    const factory = new InformerFactory({ client, ...(log && { log }) });
    const trim = (object: TrimmedObject): TrimmedObject => {
      const patterns = patternsFor(object.metadata.labels?.[DEPLOYMENT_LABEL] ?? '', object);
      return trimObject(object, { patterns, isWhole });
    };
    const informer = factory.informer<TrimmedObject>({ resource }, { labelSelector: DEPLOYMENT_LABEL, trim });
    this.#informer = informer;
    this.#isUnserved = false;
    informer.onChange(changed);
    informer.synced(signal).then(synced, () => {});
    const over = new AbortController();
    const running = factory.run(AbortSignal.any([signal, over.signal]));
    try {
      await this.#untilServed(informer, signal);
      await running;
    } finally {
      over.abort();
      await running;
    }
    signal.throwIfAborted();
  }

  /** The kind may be gone when its objects are listed. The informer does not tell this from other failures. */
  async #untilServed(informer: Informer<TrimmedObject>, signal: AbortSignal): Promise<void> {
    const { discovery } = this.#deps.client;
    for (;;) {
      const late = AbortSignal.timeout(LATE_MS);
      await informer.synced(AbortSignal.any([signal, late])).catch(() => {});
      signal.throwIfAborted();
      if (informer.hasSynced) return;
      discovery.forget();
      await discovery.resourceFor(this.kind.apiVersion, this.kind.kind, signal);
    }
  }
}
