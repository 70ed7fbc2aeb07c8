import { KubernetesError } from '../domain/kubernetes-error.ts';

export type SharedRecords<T> = Map<string, { readonly version: number; readonly value: T }>;

/** Records of a cluster, as one agent knows them. A record that another agent wrote since is not overwritten. */
export class MemoryRecords<T> {
  readonly shared: SharedRecords<T>;
  readonly #known = new Map<string, number>();
  #version = 0;

  constructor(shared: SharedRecords<T>) {
    this.shared = shared;
  }

  all(): T[] {
    this.#known.clear();
    for (const [id, { version }] of this.shared) this.#known.set(id, version);
    return [...this.shared.values()].map(({ value }) => structuredClone(value));
  }

  read(id: string): T | undefined {
    return structuredClone(this.shared.get(id)?.value);
  }

  save(id: string, value: T): void {
    this.#check(id);
    const version = (this.shared.get(id)?.version ?? 0) + (this.#version += 1);
    this.shared.set(id, { version, value: structuredClone(value) });
    this.#known.set(id, version);
  }

  remove(id: string): void {
    this.#check(id);
    this.shared.delete(id);
    this.#known.delete(id);
  }

  #check(id: string): void {
    if (this.shared.get(id)?.version === this.#known.get(id)) return;
    throw new KubernetesError('RECORD_CHANGED', `write the record of ${id}: another agent wrote it`);
  }
}
