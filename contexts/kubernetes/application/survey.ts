import { contentHash } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { type DeliveryPolicy, separatePolicy } from '../domain/delivery-policy.ts';
import { heldHash } from '../domain/drift.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { patternsFor } from '../domain/ignore-fields.ts';
import type { InventoryEntry } from '../domain/inventory.ts';
import { identityOf, type KubeObject, type ObjectKey } from '../domain/kube-object.ts';
import { type OwnPlace, reachIntoOwn } from '../domain/own-place.ts';
import { nextStep, type ObjectStep } from '../domain/ownership.ts';
import { type SecretField, type SecretFields, secretFields } from '../domain/secret-fields.ts';
import { type UnservedKind, type Wanted, wantedObjects } from '../domain/wanted-objects.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi, ClusterWatch, Discovery } from './ports.ts';

/** The whole content of a deployment for a cluster, or its end: no documents and no hash. */
export interface Delivery {
  readonly deployment: string;
  readonly revision: number;
  readonly hash: string | undefined;
  readonly documents: readonly Document[];
  readonly namespace?: string | undefined;
  /** JSON pointers into `documents`. */
  readonly secretPlaces?: readonly string[] | undefined;
  /** A repair of these objects only, by identity: their fields are taken back from whoever has them. */
  readonly takesBack?: ReadonlySet<string>;
  /** Whether an object that somebody changed since it was applied may be put right, by identity: as a repair would. */
  readonly mayTakeBack?: (identity: string) => boolean;
}

export interface PlannedObject {
  readonly key: ObjectKey;
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
  readonly patterns: readonly FieldPattern[];
  /** What the order says is secret in it. */
  readonly secrets: readonly SecretField[];
  readonly sent: string;
  readonly step: ObjectStep;
  /** `live` is what a watch has seen, which may be old: it is applied to the very object only. */
  readonly isSighted: boolean;
  /** As far as a watch has seen, nobody has changed it since we did. */
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
  /** What is known without asking. */
  readonly watch?: Pick<ClusterWatch, 'sighting'>;
  /** Where nothing is delivered to. */
  readonly own?: OwnPlace | undefined;
  /** Requests at a time. */
  readonly width: number;
}

/** What is known of the objects of a cluster. */
export interface Books {
  /** The entry of the inventory of the deployment that is delivered. */
  find(key: ObjectKey): InventoryEntry | undefined;
  /** The deployment that has it, if that is another. */
  otherOwner(key: ObjectKey): string | undefined;
}

/** What there is, what is wanted, and what is to be done. It only reads. */
export async function survey(
  deps: SurveyDeps,
  { delivery, books }: { readonly delivery: Delivery; readonly books: Books },
  signal: AbortSignal,
): Promise<Survey | Rejection> {
  const separated = separatePolicy(delivery.documents);
  if (separated.kind === 'fault') return { kind: 'rejected', message: separated.message };
  const secretsIn = secretFields(delivery.documents, delivery.secretPlaces);
  const wanted = await wantedNow(deps.discovery, { ...delivery, documents: separated.documents, secretsIn }, signal);
  if (wanted.kind === 'fault') return { kind: 'rejected', message: wanted.message };
  const { policy } = separated;
  const reach = policy.mode === 'release' ? undefined : reachIntoOwn(wanted.objects, deps.own);
  if (reach !== undefined) return { kind: 'rejected', message: reach };
  const planned: PlannedObject[] = [];
  const others = new Map(wanted.objects.map(({ key }) => [identityOf(key), books.otherOwner(key)]));
  await inParallel(wanted.objects, deps.width, async ({ key, object, secrets }) => {
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
    const entry = books.find(key);
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
  return { kind: 'survey', policy, planned, unserved: wanted.unserved };
}

export interface WantedDocuments extends Pick<Delivery, 'documents' | 'deployment' | 'namespace'> {
  readonly secretsIn?: SecretFields | undefined;
}

/** What documents stand for in this cluster. What it did not know when it was asked last it may know now. */
export async function wantedNow(
  discovery: Discovery,
  { documents, deployment, namespace, secretsIn }: WantedDocuments,
  signal: AbortSignal,
): Promise<Wanted> {
  const read = async (fresh: boolean): Promise<Wanted> => {
    const scopes = await discovery.scopes({ fresh }, signal);
    return wantedObjects(documents, {
      deployment,
      namespace,
      secretsIn,
      scopeOf: (version, kind) => scopes.get(`${version}/${kind}`),
    });
  };
  const wanted = await read(false);
  return wanted.kind === 'wanted' && wanted.unserved.length > 0 ? await read(true) : wanted;
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
 * What the watch has seen is enough for an object that is the very one of the inventory, unless fields are ignored: what is
 * sent then depends on all that is there.
 */
async function look({ deps, entry, sent, patterns }: Look, key: ObjectKey, signal: AbortSignal): Promise<Seen> {
  const sighting = deps.watch?.sighting(key);
  if (sighting !== undefined && entry?.uid !== undefined && entry.uid === sighting.object.metadata.uid) {
    const isAsMade = entry.sent === sent && entry.held === sighting.held;
    if (isAsMade || patterns.length === 0) return { live: sighting.object, held: sighting.held, isSighted: true };
  }
  const live = await deps.cluster.get(key, signal);
  return { live, held: live && heldHash(live, patterns), isSighted: false };
}
