import type { JsonObject } from '#kit/std';
import type { ApplyOptions, ClusterApi, MeantObject, WriteAnswer } from '../application/ports.ts';
import type { ApiStatus } from '../domain/api-status.ts';
import { isJsonObject } from '../domain/json-value.ts';
import {
  FIELD_MANAGER,
  identityOf,
  type KubeObject,
  keyOf,
  type ManagedFields,
  type ObjectKey,
} from '../domain/kube-object.ts';

type Leaves = ReadonlyMap<string, unknown>;

interface Stored {
  readonly uid: string;
  readonly version: number;
  readonly values: Map<string, unknown>;
  readonly owners: Map<string, Set<string>>;
}

/**
 * An in-memory cluster with server-side apply, as far as agents rely on it: fields have managers, a field that its
 * manager no longer applies is removed if no other manager has it, and conflicts name manager and field. It has no
 * schemas: lists of objects with names are merged by name, all others are one value.
 */
export class FakeCluster implements ClusterApi {
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(object: KubeObject) => void>();
  #made = 0;
  #version = 0;
  writes = 0;

  /**
   * Called with each object that changed, or with its last state if it was deleted. Returns a function that
   * unsubscribes.
   */
  onChange(listener: (object: KubeObject) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async get(key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
    signal.throwIfAborted();
    return this.peek(key);
  }

  async apply(object: KubeObject, { force, dryRun }: ApplyOptions, signal: AbortSignal): Promise<WriteAnswer> {
    signal.throwIfAborted();
    return this.applyAs(FIELD_MANAGER, object, { force, dryRun });
  }

  async delete(
    key: ObjectKey,
    { uid, resourceVersion }: MeantObject,
    signal: AbortSignal,
  ): Promise<'changed' | undefined> {
    signal.throwIfAborted();
    const stored = this.#objects.get(identityOf(key));
    if (stored?.uid !== uid) return undefined;
    if (resourceVersion !== undefined && resourceVersion !== `${stored.version}`) return 'changed';
    this.remove(key);
    return undefined;
  }

  remove(key: ObjectKey): void {
    this.writes += 1;
    const last = this.peek(key);
    this.#objects.delete(identityOf(key));
    if (last !== undefined) this.#tell(last);
  }

  peek(key: ObjectKey): KubeObject | undefined {
    const stored = this.#objects.get(identityOf(key));
    return stored && shown(stored);
  }

  applyAs(manager: string, object: KubeObject, { force = false, dryRun = false } = {}): WriteAnswer {
    const identity = identityOf(keyOf(object));
    const before = this.#objects.get(identity);
    const { uid, resourceVersion, ...metadata } = object.metadata;
    if (uid !== undefined && uid !== before?.uid) return { kind: 'refused', status: aboutUid(before !== undefined) };
    if (resourceVersion !== undefined && resourceVersion !== `${before?.version}`) return ANOTHER_VERSION;
    const desired = leavesOf({ ...object, metadata });
    const conflicts = force || before === undefined ? [] : conflictsWith(before, desired, manager);
    if (conflicts.length > 0) {
      return { kind: 'refused', status: { code: 409, reason: 'Conflict', details: { causes: conflicts } } };
    }
    const empty = { uid: `uid-${this.#made + 1}`, version: 0, values: new Map(), owners: new Map() };
    const next = merged(before ?? empty, desired, manager);
    const isSame = before !== undefined && textOf(next) === textOf(before);
    const after = { ...next, version: isSame ? before.version : this.#version + 1 };
    if (dryRun) return { kind: 'done', object: shown(after) };
    this.writes += 1;
    if (!isSame) {
      if (before === undefined) this.#made += 1;
      this.#version += 1;
      this.#objects.set(identity, after);
      this.#tell(shown(after));
    }
    return { kind: 'done', object: shown(after) };
  }

  #tell(object: KubeObject): void {
    for (const listener of this.#listeners) listener(object);
  }
}

const ANOTHER_VERSION: WriteAnswer = { kind: 'refused', status: { code: 409, reason: 'Conflict' } };

function aboutUid(isThere: boolean): ApiStatus {
  if (!isThere) return { code: 409, reason: 'Conflict' };
  const causes = [{ reason: 'FieldValueInvalid', message: 'field is immutable', field: 'metadata.uid' }];
  return { code: 422, reason: 'Invalid', details: { causes } };
}

function merged(before: Stored, desired: Leaves, manager: string): Stored {
  const values = new Map(before.values);
  const owners = new Map([...before.owners].map(([path, names]) => [path, new Set(names)]));
  for (const [path, names] of owners) {
    if (desired.has(path) || !names.delete(manager) || names.size > 0) continue;
    owners.delete(path);
    values.delete(path);
  }
  for (const [path, value] of desired) {
    const isSame = JSON.stringify(values.get(path)) === JSON.stringify(value);
    owners.set(path, isSame ? (owners.get(path) ?? new Set<string>()).add(manager) : new Set([manager]));
    values.set(path, value);
  }
  return { ...before, values, owners };
}

function conflictsWith({ values, owners }: Stored, desired: Leaves, manager: string) {
  return [...desired].flatMap(([path, value]) => {
    if (JSON.stringify(values.get(path)) === JSON.stringify(value)) return [];
    const others = [...(owners.get(path) ?? [])].filter((name) => name !== manager);
    return others.map((name) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${name}" using v1`,
      field: (JSON.parse(path) as string[])
        .map((step) => (step.startsWith('f:') ? `.${step.slice(2)}` : `[${step}]`))
        .join(''),
    }));
  });
}

/** Paths are JSON lists of steps in the notation of fieldsV1. */
function leavesOf(object: KubeObject): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const visit = (value: unknown, path: readonly string[]): void => {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, `f:${name}`]);
    } else if (isNamedList(value)) {
      for (const item of value) visit(item, [...path, `k:${JSON.stringify({ name: item['name'] })}`]);
    } else leaves.set(JSON.stringify(path), value);
  };
  visit(object, []);
  return leaves;
}

function isNamedList(value: unknown): value is readonly JsonObject[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isJsonObject(item) && typeof item['name'] === 'string')
  );
}

const UNOWNED = new Set(['f:apiVersion', 'f:kind']);
const UNOWNED_OR_STATUS = /^\["f:(apiVersion"|kind"|metadata","f:name|status")/;

function textOf({ values, owners }: Stored): string {
  const entries = [...values].map(([path, value]) => [path, value, [...(owners.get(path) ?? [])].sort()]);
  return JSON.stringify(entries.sort(([one], [two]) => (String(one) < String(two) ? -1 : 1)));
}

function shown({ uid, version, values, owners }: Stored): KubeObject {
  const object = built(values);
  const managers = [...new Set([...owners.values()].flatMap((names) => [...names]))].sort();
  const fieldsOf = (manager: string, isStatus: boolean): ManagedFields[] => {
    const tree: Record<string, unknown> = {};
    for (const [path, names] of owners) {
      const steps = JSON.parse(path) as string[];
      const isNamed =
        steps.length === 2 && steps[0] === 'f:metadata' && ['f:name', 'f:namespace'].includes(steps[1] ?? '');
      const isIts = names.has(manager) && (steps[0] === 'f:status') === isStatus;
      if (isIts && !UNOWNED.has(steps[0] ?? '') && !isNamed) plant(tree, steps);
    }
    if (isStatus && Object.keys(tree).length === 0) return [];
    return [{ manager, operation: 'Apply', ...(isStatus ? { subresource: 'status' } : {}), fieldsV1: tree }];
  };
  const isOfStatusAlone = (manager: string): boolean =>
    [...owners].every(([path, names]) => !names.has(manager) || UNOWNED_OR_STATUS.test(path));
  const managedFields = managers.flatMap((manager) => [
    ...(isOfStatusAlone(manager) ? [] : fieldsOf(manager, false)),
    ...fieldsOf(manager, true),
  ]);
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${version}`, managedFields } };
}

function plant(tree: Record<string, unknown>, steps: readonly string[]): void {
  let here = tree;
  for (const step of steps) here = (here[step] ??= {}) as Record<string, unknown>;
}

function built(values: ReadonlyMap<string, unknown>): KubeObject {
  const root: Record<string, unknown> = {};
  for (const [path, value] of values) put(root, JSON.parse(path) as string[], value);
  return root as unknown as KubeObject;
}

function put(into: Record<string, unknown>, [step = '', next, ...rest]: readonly string[], value: unknown): void {
  const name = step.slice(2);
  if (next === undefined) into[name] = value;
  else if (next.startsWith('f:')) put((into[name] ??= {}) as Record<string, unknown>, [next, ...rest], value);
  else {
    const items = (into[name] ??= []) as Record<string, unknown>[];
    const keys = JSON.parse(next.slice(2)) as Record<string, unknown>;
    let item = items.find((each) => each['name'] === keys['name']);
    if (item === undefined) items.push((item = { ...keys }));
    put(item, rest, value);
  }
}
