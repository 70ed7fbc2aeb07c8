import type { KubeClient } from '#kit/kube';
import type { Change } from '#kit/kube/cache';
import type { Logger } from '#kit/telemetry';
import type { ClusterWatch, FollowedKind, KindRef, ObservedObject, WatchListener } from '../application/ports.ts';
import { listAt, textAt } from '../domain/json-value.ts';
import { DEPLOYMENT_LABEL, groupOf, type ObjectKey } from '../domain/kube-object.ts';
import { Dependents } from './dependents.ts';
import { KindFollower } from './kind-follower.ts';
import type { TrimmedObject } from './trim-object.ts';

export interface KubeClusterWatchDeps {
  readonly client: KubeClient;
  readonly log?: Logger | undefined;
}

interface Running {
  readonly listener: WatchListener;
  readonly signal: AbortSignal;
  readonly dependents: Dependents;
  readonly work: Set<Promise<void>>;
}

/** Informers of the kinds that our objects have, filtered by the tracking label, and of what belongs to workloads. */
export class KubeClusterWatch implements ClusterWatch {
  readonly #deps: KubeClusterWatchDeps;
  readonly #followers = new Map<string, KindFollower>();
  #kinds: readonly FollowedKind[] = [];
  #running: Running | undefined;

  constructor(deps: KubeClusterWatchDeps) {
    this.#deps = deps;
  }

  follow(kinds: readonly FollowedKind[]): void {
    this.#kinds = kinds;
    if (this.#running === undefined) return;
    const desired = new Map(kinds.map((kind) => [nameOf(kind), kind]));
    for (const [name, follower] of this.#followers) {
      if (desired.get(name)?.isWhole === follower.kind.isWhole) continue;
      this.#followers.delete(name);
      for (const old of follower.objects) this.#running.dependents.take({ old, now: undefined });
      follower.stop();
    }
    for (const [name, kind] of desired) if (!this.#followers.has(name)) this.#start(kind, this.#running);
  }

  isSynced(kind: KindRef): boolean {
    return this.#followers.get(nameOf(kind))?.isSynced ?? false;
  }

  observedObject(key: ObjectKey): ObservedObject | undefined {
    return this.#followers.get(nameOf(key))?.observedObject(key);
  }

  dependents(key: ObjectKey): ReturnType<Dependents['of']> {
    const workload = this.observedObject(key)?.object;
    return workload === undefined || this.#running === undefined
      ? { pods: [], events: [] }
      : this.#running.dependents.of(workload);
  }

  async run(listener: WatchListener, signal: AbortSignal): Promise<void> {
    const { client, log } = this.#deps;
    const dependents = new Dependents({ client, log, changed: listener.changed });
    const work = new Set<Promise<void>>();
    this.#running = { listener, signal, dependents, work };
    this.follow(this.#kinds);
    await dependents.run(signal);
    await Promise.all(work);
    this.#followers.clear();
    this.#running = undefined;
  }

  #start(kind: FollowedKind, { listener, signal, dependents, work }: Running): void {
    const changed = (change: Change<TrimmedObject>): void => {
      dependents.take(change);
      this.#renewKinds(change);
      for (const object of [change.old, change.now]) {
        const deployment = object?.metadata.labels?.[DEPLOYMENT_LABEL];
        if (deployment !== undefined) listener.changed(deployment);
      }
    };
    const { client, log } = this.#deps;
    const { patternsFor, synced } = listener;
    const follower = new KindFollower({ client, log, patternsFor, changed, synced }, kind);
    this.#followers.set(nameOf(kind), follower);
    const running = follower.run(signal).finally(() => work.delete(running));
    work.add(running);
  }

  /** A definition that was recreated has a kind that the current watch does not know. */
  #renewKinds({ old, now }: Change<TrimmedObject>): void {
    if (now === undefined || now.kind !== 'CustomResourceDefinition' || isEstablished(old) || !isEstablished(now))
      return;
    const accepted = textAt(now, 'status', 'acceptedNames', 'kind');
    const group = (now.metadata.name ?? '').split('.').slice(1).join('.');
    for (const follower of this.#followers.values()) {
      const { apiVersion, kind } = follower.kind;
      if (kind === accepted && groupOf(apiVersion) === group) follower.restart();
    }
  }
}

function isEstablished(definition: TrimmedObject | undefined): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Established' && textAt(condition, 'status') === 'True',
  );
}

function nameOf({ apiVersion, kind }: KindRef): string {
  return `${apiVersion}/${kind}`;
}
