import type { Binding, Condition, DataObject, ResourceEntry, ResourceRef, ResourceSet } from './crs-objects.ts';

/** What is on the management cluster at one moment, in the namespace of one scenario. */
export interface Objects {
  readonly sets: readonly ResourceSet[];
  readonly bindings: readonly Binding[];
  readonly configMaps: readonly DataObject[];
  readonly secrets: readonly DataObject[];
}

/** The same, with the questions that scenarios ask. */
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

  /** What the binding of this cluster says of this set; undefined where it says nothing. */
  entries(cluster: string, set: string): readonly ResourceEntry[] | undefined {
    const entry = this.binding(cluster)?.spec.bindings?.find((it) => it.clusterResourceSetName === set);
    return entry && (entry.resources ?? []);
  }

  entry(cluster: string, set: string, resource: ResourceRef): ResourceEntry | undefined {
    return this.entries(cluster, set)?.find(({ kind, name }) => kind === resource.kind && name === resource.name);
  }

  /** Every resource of the set was applied to this cluster, and the binding knows no other. */
  isApplied(cluster: string, set: string): boolean {
    const wanted = this.set(set)?.spec.resources ?? [];
    return wanted.length > 0 && wanted.every((resource) => this.entry(cluster, set, resource)?.applied === true);
  }

  condition(set: string, type = 'ResourcesApplied'): Condition | undefined {
    return this.set(set)?.status?.conditions?.find((it) => it.type === type);
  }

  /** The last thing that a manager says of a generation when it is done with it without an error. */
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
