import { isDeepStrictEqual } from 'node:util';
import { CORE } from '../../client/core-resources.ts';
import type { DeleteOptions } from '../../client/kube-client.ts';
import { changed, created, deleted, isReleased, refuseOtherKind, type Stored } from './object-rules.ts';
import { expired, notFound, Refused } from './refused.ts';
import type { FakeResource } from './resources.ts';

export interface Place {
  readonly resource: FakeResource;
  readonly namespace: string | undefined;
}

export interface Spot extends Place {
  readonly name: string;
}

/** One change: the state before and after. */
export interface Change {
  readonly version: number;
  readonly place: Place;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

interface Writing {
  readonly dryRun: boolean;
  readonly subresource?: string | undefined;
}

/** The objects, a version counter for changes, and the changes since the last compaction. */
export class FakeStore {
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(change: Change) => void>();
  #changes: Change[] = [];
  #version = 100;
  #compacted = 100;
  #minted = 0;

  get version(): number {
    return this.#version;
  }

  /** Calls the listener for each later change. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The changes after a version. A version from before the last compaction is `Expired`. */
  since(version: number): readonly Change[] {
    if (version < this.#compacted) throw expired(`too old resource version: ${version} (${this.#compacted})`);
    return this.#changes.filter((change) => change.version > version);
  }

  compact(): void {
    this.#compacted = this.#version;
    this.#changes = [];
  }

  list({ resource, namespace }: Place): Stored[] {
    const prefix = namespace === undefined ? `${keyOf(resource)} ` : `${keyOf(resource)} ${namespace}/`;
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).toSorted(byText);
    return keys.flatMap((key) => this.#objects.get(key) ?? []);
  }

  get(spot: Spot): Stored {
    const object = this.#objects.get(spotKey(spot));
    if (!object) throw notFound(`${spot.resource.plural} "${spot.name}"`);
    return object;
  }

  create(place: Place, given: Stored, { dryRun }: Writing): Stored {
    refuseOtherKind(given, place.resource);
    this.#refuseMissingNamespace(place);
    this.#minted += 1;
    const uid = `00000000-0000-4000-8000-${String(this.#minted).padStart(12, '0')}`;
    const suffix = this.#minted.toString(36).padStart(5, 'x');
    const made = created(given, place.resource, { uid, now: now(), suffix });
    const object =
      place.namespace === undefined ? made : { ...made, metadata: { ...made.metadata, namespace: place.namespace } };
    const name = object.metadata.name ?? '';
    if (this.#objects.has(spotKey({ ...place, name }))) {
      throw new Refused(409, 'AlreadyExists', `${place.resource.plural} "${name}" already exists`);
    }
    return dryRun ? object : this.#write(place, undefined, object);
  }

  update(spot: Spot, change: (before: Stored) => Stored, { dryRun, subresource }: Writing): Stored {
    const before = this.get(spot);
    const given = change(before);
    refuseOtherKind(given, spot.resource);
    const after = changed(before, given, { resource: spot.resource, subresource });
    if (dryRun || isDeepStrictEqual(without(before), without(after))) return dryRun ? after : before;
    if (isReleased(after)) {
      this.#write(spot, before, undefined);
      return after;
    }
    return this.#write(spot, before, after);
  }

  /** The remaining object, or undefined. */
  delete(spot: Spot, options: DeleteOptions): Stored | undefined {
    const before = this.get(spot);
    const after = deleted(before, options, now());
    if (options.dryRun || after === before) return after;
    if (after) return this.#write(spot, before, after);
    this.#write(spot, before, undefined);
    return undefined;
  }

  #write(place: Place, before: Stored | undefined, after: Stored | undefined): Stored {
    this.#version += 1;
    const last = after ?? before;
    if (!last) throw new Error('a change has an object');
    const object = { ...last, metadata: { ...last.metadata, resourceVersion: String(this.#version) } };
    const key = spotKey({ ...place, namespace: object.metadata.namespace, name: object.metadata.name ?? '' });
    if (after) this.#objects.set(key, object);
    else this.#objects.delete(key);
    const change = after
      ? { version: this.#version, place, before, after: object }
      : { version: this.#version, place, before: object, after };
    this.#changes.push(change);
    for (const listener of this.#listeners) listener(change);
    return object;
  }

  #refuseMissingNamespace({ namespace }: Place): void {
    if (namespace === undefined) return;
    const found = this.#objects.get(spotKey({ resource: CORE.namespaces, namespace: undefined, name: namespace }));
    if (!found) throw notFound(`namespaces "${namespace}"`);
    if (found.metadata.deletionTimestamp !== undefined) {
      throw new Refused(
        403,
        'Forbidden',
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      );
    }
  }
}

export function keyOf({ group, version, plural }: FakeResource): string {
  return `${group}/${version}/${plural}`;
}

function spotKey({ resource, namespace = '', name }: Spot): string {
  return `${keyOf(resource)} ${namespace}/${name}`;
}

function without(object: Stored): object {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
