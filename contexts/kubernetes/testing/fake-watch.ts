import type { ClusterWatch, FollowedKind, KindRef, ObservedObject, WatchListener } from '../application/ports.ts';
import { heldHash } from '../domain/drift.ts';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import { DEPLOYMENT_LABEL, type KubeObject, keyText, type ObjectKey } from '../domain/kube-object.ts';
import type { FakeCluster } from './fake-cluster.ts';

/** Shows a fake cluster without delay. */
export class FakeWatch implements ClusterWatch {
  readonly #cluster: FakeCluster;
  #listener: WatchListener | undefined;
  followed: readonly FollowedKind[] = [];
  /** By the text of the key. */
  readonly pods = new Map<string, readonly KubeObject[]>();
  readonly events = new Map<string, readonly ObjectEvent[]>();

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  follow(kinds: readonly FollowedKind[]): void {
    this.followed = kinds;
  }

  isSynced({ apiVersion, kind }: KindRef): boolean {
    return this.followed.some((each) => each.apiVersion === apiVersion && each.kind === kind);
  }

  observedObject(key: ObjectKey): ObservedObject | undefined {
    const object = this.isSynced(key) ? this.#cluster.peek(key) : undefined;
    const deployment = object?.metadata.labels?.[DEPLOYMENT_LABEL];
    if (object === undefined || deployment === undefined) return undefined;
    return { object, held: heldHash(object, this.#listener?.patternsFor(deployment, object) ?? []) };
  }

  dependents(key: ObjectKey) {
    return { pods: this.pods.get(keyText(key)) ?? [], events: this.events.get(keyText(key)) ?? [] };
  }

  async run(listener: WatchListener, signal: AbortSignal): Promise<void> {
    this.#listener = listener;
    const end = this.#cluster.onChange(({ metadata }) => listener.changed(metadata.labels?.[DEPLOYMENT_LABEL] ?? ''));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    end();
  }
}
