import { CORE, type KubeClient, type KubeObject } from '#kit/kube';
import { type Change, type Informer, InformerFactory } from '#kit/kube/cache';
import type { Logger } from '#kit/telemetry';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import { DEPLOYMENT_LABEL } from '../domain/kube-object.ts';
import { type Dependent, type TrimmedEvent, trimEvent, trimOwned, trimPod } from './trim-dependent.ts';
import type { TrimmedObject } from './trim-object.ts';

export interface DependentsDeps {
  readonly client: KubeClient;
  readonly log: Logger | undefined;
  readonly changed: (deployment: string) => void;
}

interface Place {
  readonly over: AbortController;
  readonly pods: Informer<Dependent>;
  readonly sets: Informer<Dependent>;
  readonly events: Informer<TrimmedEvent>;
}

/** Kinds whose health depends on objects that belong to them. */
const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'PersistentVolumeClaim']);
/** Above this number of namespaces, one cluster-wide watch costs less than one watch per namespace. */
const MAX_PLACES = 30;
const EVERYWHERE = '';

/**
 * The Pods, ReplicaSets and events of workloads, watched only in namespaces that have workloads. The server cannot
 * filter by owner, so objects of other workloads are received too; trimmed, they are small.
 */
export class Dependents {
  readonly #deps: DependentsDeps;
  readonly #places = new Map<string, Place>();
  /** Deployment and namespace, by uid. */
  readonly #workloads = new Map<string, { readonly deployment: string; readonly namespace: string }>();
  /** Number of workloads in each namespace. */
  readonly #namespaces = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(deps: DependentsDeps) {
    this.#deps = deps;
  }

  /** A followed object changed, or is no longer followed. */
  take({ old, now }: Change<TrimmedObject>): void {
    const { kind = '', metadata } = now ?? old ?? {};
    const uid = metadata?.uid;
    if (uid === undefined || !WORKLOADS.has(kind) || this.#workloads.has(uid) === (now !== undefined)) return;
    const { labels, namespace = '' } = metadata ?? {};
    if (now === undefined) this.#workloads.delete(uid);
    else this.#workloads.set(uid, { deployment: labels?.[DEPLOYMENT_LABEL] ?? '', namespace });
    const count = (this.#namespaces.get(namespace) ?? 0) + (now === undefined ? -1 : 1);
    if (count === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, count);
    if (count <= 1) this.#arrange();
  }

  of(workload: KubeObject): { readonly pods: readonly KubeObject[]; readonly events: readonly ObjectEvent[] } {
    const { uid = '', namespace = '' } = workload.metadata;
    const place = this.#places.get(EVERYWHERE) ?? this.#places.get(namespace);
    if (place === undefined || !this.#workloads.has(uid)) return NOTHING;
    const sets = place.sets.cache.index(byOwner).get(uid);
    const owners = [uid, ...sets.map(({ metadata }) => metadata.uid ?? '')];
    const pods = place.pods.cache.index(byOwner);
    const events = place.events.cache.index(bySubject);
    return {
      pods: owners.flatMap((owner) => pods.get(owner)),
      events: owners.flatMap((owner) => events.get(owner)),
    };
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#arrange();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.all(this.#running);
  }

  #arrange(): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    const desired = new Set(this.#namespaces.size > MAX_PLACES ? [EVERYWHERE] : this.#namespaces.keys());
    for (const [name, { over }] of this.#places) {
      if (desired.has(name)) continue;
      this.#places.delete(name);
      over.abort();
    }
    for (const name of desired) if (!this.#places.has(name)) this.#open(name, signal);
  }

  #open(name: string, signal: AbortSignal): void {
    const { client, log } = this.#deps;
    const factory = new InformerFactory({ client, ...(log && { log }) });
    const place = name === EVERYWHERE ? {} : { namespace: name };
    const pods = factory.informer<Dependent>({ resource: CORE.pods, ...place }, { trim: trimPod });
    const sets = factory.informer<Dependent>({ resource: CORE.replicaSets, ...place }, { trim: trimOwned });
    // Events of Pods are by far the most, and the status of the Pod says the same.
    const options = { trim: trimEvent, fieldSelector: 'involvedObject.kind!=Pod' };
    const events = factory.informer<TrimmedEvent>({ resource: CORE.events, ...place }, options);
    const opened: Place = { over: new AbortController(), pods, sets, events };
    pods.onChange(({ old, now }) => this.#tell(opened, (now ?? old)?.ownerUid));
    sets.onChange(({ old, now }) => this.#tell(opened, (now ?? old)?.ownerUid));
    events.onChange(({ old, now }) => this.#tell(opened, (now ?? old)?.aboutUid));
    this.#places.set(name, opened);
    const running = factory.run(AbortSignal.any([signal, opened.over.signal])).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** Notifies the deployment of the owner, or of the ReplicaSet's owner. */
  #tell({ sets }: Place, uid = ''): void {
    if (uid === '') return;
    const workload =
      this.#workloads.get(uid) ?? this.#workloads.get(sets.cache.index(byUid).get(uid)[0]?.ownerUid ?? '');
    if (workload !== undefined) this.#deps.changed(workload.deployment);
  }
}

const NOTHING = { pods: [], events: [] } as const;

function byOwner({ ownerUid }: Dependent): readonly string[] {
  return ownerUid === '' ? [] : [ownerUid];
}

function byUid({ metadata }: Dependent): readonly string[] {
  return [metadata.uid ?? ''];
}

function bySubject({ aboutUid }: TrimmedEvent): readonly string[] {
  return aboutUid === '' ? [] : [aboutUid];
}
