import type { Binding, Condition, DataObject, ResourceEntry, ResourceRef, ResourceSet } from './crs-objects.ts';

/** The objects of one scenario's namespace on the management cluster, at one moment. */
export interface Objects {
  readonly sets: readonly ResourceSet[];
  readonly bindings: readonly Binding[];
  readonly configMaps: readonly DataObject[];
  readonly secrets: readonly DataObject[];
}

/** The same objects, with the predicates that scenarios use. */
export class Seen {
  readonly objects: Objects;

  constructor(objects: Objects) {
    this.objects = objects;
  }

  set(name: string): ResourceSet | undefined {
    return this.objects.sets.find(({ metadata }) => metadata.name === name);
  }

  binding(cluster: string): Binding | undefined {
    return this.objects.bindings.find(({ metadata }) => metadata.name === cluster);
  }

  /** The entries of the set in the cluster's binding; undefined where it has none. */
  entries(cluster: string, set: string): readonly ResourceEntry[] | undefined {
    const entry = this.binding(cluster)?.spec.bindings?.find((it) => it.clusterResourceSetName === set);
    return entry && (entry.resources ?? []);
  }

  entry(cluster: string, set: string, resource: ResourceRef): ResourceEntry | undefined {
    return this.entries(cluster, set)?.find(({ kind, name }) => kind === resource.kind && name === resource.name);
  }

  /** Every resource of the set is applied to the cluster, and the binding lists no other. */
  isApplied(cluster: string, set: string): boolean {
    const wanted = this.set(set)?.spec.resources ?? [];
    return wanted.length > 0 && wanted.every((resource) => this.entry(cluster, set, resource)?.applied === true);
  }

  condition(set: string, type = 'ResourcesApplied'): Condition | undefined {
    return this.set(set)?.status?.conditions?.find((it) => it.type === type);
  }

  /** A manager sets the observed generation last, when it has finished a generation without an error. */
  isObserved(set: string): boolean {
    const seen = this.set(set);
    return (
      seen?.status?.observedGeneration !== undefined && seen.status.observedGeneration === seen.metadata.generation
    );
  }

  owners({ kind, name }: ResourceRef): readonly string[] {
    const all = kind === 'ConfigMap' ? this.objects.configMaps : this.objects.secrets;
    const object = all.find(({ metadata }) => metadata.name === name);
    return (object?.metadata.ownerReferences ?? []).map((owner) => owner.name);
  }
}
