import { contentHash } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { type DeliveryPolicy, separatePolicy } from '../domain/delivery-policy.ts';
import { type Desired, desiredObjects, type UnservedKind } from '../domain/desired-objects.ts';
import { heldHash } from '../domain/drift.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { patternsFor } from '../domain/ignore-fields.ts';
import type { InventoryEntry } from '../domain/inventory.ts';
import { identityOf, type KubeObject, type ObjectKey } from '../domain/kube-object.ts';
import { type OwnPlace, reachIntoOwn } from '../domain/own-place.ts';
import { nextStep, type ObjectStep } from '../domain/ownership.ts';
import { type SecretField, type SecretFields, secretFields } from '../domain/secret-fields.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi, ClusterWatch, Discovery } from './ports.ts';

/** The complete content of a deployment for a cluster. No documents and no hash mean removal. */
export interface Delivery {
  readonly deployment: string;
  readonly revision: number;
  readonly hash: string | undefined;
  readonly documents: readonly Document[];
  readonly namespace?: string | undefined;
  /** JSON pointers into `documents`. */
  readonly secretPlaces?: readonly string[] | undefined;
  /** Repair only these objects, by identity: their fields are taken back from other managers. */
  readonly takesBack?: ReadonlySet<string>;
  /** Whether an object that was changed after it was applied may be reverted, by identity, as in a repair. */
  readonly mayTakeBack?: (identity: string) => boolean;
}

export interface PlannedObject {
  readonly key: ObjectKey;
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
  readonly patterns: readonly FieldPattern[];
  /** Fields that the order marks as secret. */
  readonly secrets: readonly SecretField[];
  readonly sent: string;
  readonly step: ObjectStep;
  /** `live` comes from the watch and may be stale: apply only if the uid still matches. */
  readonly isSighted: boolean;
  /** As far as the watch has seen, the object is unchanged since our last write. */
  readonly isUntouched: boolean;
}

export interface Survey {
  readonly kind: 'survey';
  readonly policy: DeliveryPolicy;
  readonly planned: readonly PlannedObject[];
  readonly unserved: readonly UnservedKind[];
}

export interface Rejection {
  readonly kind: 'rejected';
  readonly message: string;
}

export interface SurveyDeps {
  readonly cluster: ClusterApi;
  readonly discovery: Discovery;
  /** Objects known without a request. */
  readonly watch?: Pick<ClusterWatch, 'observedObject'>;
  /** The agent's own place, which deliveries must not touch. */
  readonly own?: OwnPlace | undefined;
  /** Concurrent requests. */
  readonly width: number;
}

/** Recorded ownership of the objects of a cluster. */
export interface OwnershipRecords {
  /** The inventory entry of the deployment being delivered. */
  find(key: ObjectKey): InventoryEntry | undefined;
  /** The deployment that owns the object, if it is another one. */
  otherOwner(key: ObjectKey): string | undefined;
}

/** Compares the live objects with the desired ones and plans the steps. Only reads. */
export async function survey(
  deps: SurveyDeps,
  { delivery, records }: { readonly delivery: Delivery; readonly records: OwnershipRecords },
  signal: AbortSignal,
): Promise<Survey | Rejection> {
  const separated = separatePolicy(delivery.documents);
  if (separated.kind === 'fault') return { kind: 'rejected', message: separated.message };
  const { secretPlaces = [] } = delivery;
  const secretsIn = secretPlaces.length === 0 ? undefined : secretFields(delivery.documents, secretPlaces);
  const desired = await desiredNow(deps.discovery, { ...delivery, documents: separated.documents, secretsIn }, signal);
  if (desired.kind === 'fault') return { kind: 'rejected', message: desired.message };
  const { policy } = separated;
  const reach = policy.mode === 'release' ? undefined : reachIntoOwn(desired.objects, deps.own);
  if (reach !== undefined) return { kind: 'rejected', message: reach };
  const planned: PlannedObject[] = [];
  const others = new Map(desired.objects.map(({ key }) => [identityOf(key), records.otherOwner(key)]));
  await inParallel(desired.objects, deps.width, async ({ key, object, secrets }) => {
    const patterns = patternsFor(object, policy.ignoreFields);
    const sent = contentHash(object);
    if (delivery.takesBack?.has(identityOf(key)) === false) {
      planned.push({
        key,
        object,
        live: undefined,
        patterns,
        secrets,
        sent,
        step: { kind: 'keep' },
        isSighted: false,
        isUntouched: false,
      });
      return;
    }
    const entry = records.find(key);
    const { live, held, isSighted } = await look({ deps, entry, sent, patterns }, key, signal);
    const { deployment } = delivery;
    const step = nextStep({ key, deployment, policy, live, sent, held, entry, other: others.get(identityOf(key)) });
    const isIt = entry?.uid !== undefined && entry.uid === live?.metadata.uid;
    const isDrifted = isIt && entry.held !== held;
    const isUntouched = isSighted && isIt && !isDrifted;
    const takesBack =
      delivery.takesBack !== undefined || (isDrifted && delivery.mayTakeBack?.(identityOf(key)) === true);
    const forced = step.kind === 'apply' && takesBack ? { ...step, force: true } : step;
    planned.push({ key, object, live, patterns, secrets, sent, step: forced, isSighted, isUntouched });
  });
  return { kind: 'survey', policy, planned, unserved: desired.unserved };
}

export interface DesiredDocuments extends Pick<Delivery, 'documents' | 'deployment' | 'namespace'> {
  readonly secretsIn?: SecretFields | undefined;
}

/** Resolves documents to objects of this cluster. If a kind is unknown, discovery is refreshed once. */
export async function desiredNow(
  discovery: Discovery,
  { documents, deployment, namespace, secretsIn }: DesiredDocuments,
  signal: AbortSignal,
): Promise<Desired> {
  const read = async (fresh: boolean): Promise<Desired> => {
    const scopes = await discovery.scopes({ fresh }, signal);
    return desiredObjects(documents, {
      deployment,
      namespace,
      secretsIn,
      scopeOf: (version, kind) => scopes.get(`${version}/${kind}`),
    });
  };
  const desired = await read(false);
  return desired.kind === 'desired' && desired.unserved.length > 0 ? await read(true) : desired;
}

interface Look {
  readonly deps: SurveyDeps;
  readonly entry: InventoryEntry | undefined;
  readonly sent: string;
  readonly patterns: readonly FieldPattern[];
}

interface Seen {
  readonly live: KubeObject | undefined;
  readonly held: string | undefined;
  readonly isSighted: boolean;
}

/**
 * The watch is enough if it shows the very object of the inventory. With ignored fields it is not: the body to send
 * then depends on the whole live object.
 */
async function look({ deps, entry, sent, patterns }: Look, key: ObjectKey, signal: AbortSignal): Promise<Seen> {
  const observedObject = deps.watch?.observedObject(key);
  if (observedObject !== undefined && entry?.uid !== undefined && entry.uid === observedObject.object.metadata.uid) {
    const isAsMade = entry.sent === sent && entry.held === observedObject.held;
    if (isAsMade || patterns.length === 0)
      return { live: observedObject.object, held: observedObject.held, isSighted: true };
  }
  const live = await deps.cluster.get(key, signal);
  return { live, held: live && heldHash(live, patterns), isSighted: false };
}
