import { contentHash } from '#kit/std';
import { type DeliveryPolicy, separatePolicy } from '../domain/delivery-policy.ts';
import { heldHash } from '../domain/drift.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { patternsFor } from '../domain/ignore-fields.ts';
import type { Inventory } from '../domain/inventory.ts';
import { identityOf, type KubeObject, type ObjectKey } from '../domain/kube-object.ts';
import { nextStep, type ObjectStep } from '../domain/ownership.ts';
import { type Document, type UnservedKind, wantedObjects } from '../domain/wanted-objects.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi, Discovery, InventoryStore } from './ports.ts';

/** The whole content of a deployment for a cluster, or its end: no documents and no hash. */
export interface Delivery {
  readonly deployment: string;
  readonly revision: number;
  readonly hash: string | undefined;
  readonly documents: readonly Document[];
  readonly namespace?: string | undefined;
}

export interface PlannedObject {
  readonly key: ObjectKey;
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
  readonly patterns: readonly FieldPattern[];
  readonly sent: string;
  readonly step: ObjectStep;
}

export interface Survey {
  readonly kind: 'survey';
  readonly policy: DeliveryPolicy;
  readonly planned: readonly PlannedObject[];
  readonly unserved: readonly UnservedKind[];
  /** As it is kept; one of generation 0 for a deployment that was never here. */
  readonly inventory: Inventory;
}

export interface SurveyDeps {
  readonly cluster: ClusterApi;
  readonly discovery: Discovery;
  readonly inventories: InventoryStore;
  /** Requests at a time. */
  readonly width: number;
}

/** What there is, what is wanted, and what is to be done. It only reads. */
export async function survey(
  { cluster, discovery, inventories, width }: SurveyDeps,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Survey | { readonly kind: 'rejected'; readonly message: string }> {
  const { deployment, revision, hash, namespace } = delivery;
  const separated = separatePolicy(delivery.documents);
  if (separated.kind === 'fault') return { kind: 'rejected', message: separated.message };
  const scopes = await discovery.scopes(signal);
  const scopeOf = (apiVersion: string, kind: string) => scopes.get(`${apiVersion}/${kind}`);
  const wanted = wantedObjects(separated.documents, { deployment, namespace, scopeOf });
  if (wanted.kind === 'fault') return { kind: 'rejected', message: wanted.message };
  const { policy } = separated;
  const all = await inventories.all(signal);
  const fresh: Inventory = { deployment, generation: 0, seen: { revision, hash }, entries: [] };
  const inventory = all.find((each) => each.deployment === deployment) ?? fresh;
  const others = ownersOf(all.filter((each) => each.deployment !== deployment));
  const entries = new Map(inventory.entries.map((entry) => [identityOf(entry.key), entry]));
  const planned: PlannedObject[] = [];
  await inParallel(wanted.objects, width, async ({ key, object }) => {
    const live = await cluster.get(key, signal);
    const patterns = patternsFor(object, policy.ignoreFields);
    const sent = contentHash(object);
    const held = live && heldHash(live, patterns);
    const identity = identityOf(key);
    const known = { entry: entries.get(identity), other: others.get(identity) };
    const step = nextStep({ key, deployment, policy, live, sent, held, ...known });
    planned.push({ key, object, live, patterns, sent, step });
  });
  return { kind: 'survey', policy, planned, unserved: wanted.unserved, inventory };
}

function ownersOf(inventories: readonly Inventory[]): ReadonlyMap<string, string> {
  return new Map(
    inventories.flatMap(({ deployment, entries }) => entries.map(({ key }) => [identityOf(key), deployment] as const)),
  );
}
