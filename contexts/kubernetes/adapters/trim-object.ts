import type { KubeObject } from '#kit/kube';
import { heldHash } from '../domain/drift.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { DEPLOYMENT_LABEL } from '../domain/kube-object.ts';

/** The parts of a followed object that are kept. */
export interface TrimmedObject extends KubeObject {
  /** Hash of our fields; the fields themselves are not kept. */
  readonly held: string;
}

/** Not scalar, but needed to judge health. */
const KEPT_OF_SPEC = new Set(['updateStrategy', 'service']);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Keeps only what health is judged by: some metadata, the status and the scalars of the spec. Templates, data, rules
 * and schemas make up most of an object and are used only by health rules for the kind, so `isWhole` keeps them.
 */
export function trimObject(
  object: KubeObject,
  { patterns, isWhole }: { readonly patterns: readonly FieldPattern[]; readonly isWhole: boolean },
): TrimmedObject {
  const held = heldHash(object, patterns);
  const { managedFields: _, ...metadata } = object.metadata;
  if (isWhole) return { ...object, metadata, held };
  const { apiVersion, kind, spec, status } = object as KubeObject & {
    readonly spec?: Fields;
    readonly status?: unknown;
  };
  const fields = { ...(spec && { spec: smallSpec(spec) }), ...(status === undefined ? {} : { status }) };
  return { apiVersion, kind, metadata: smallMetadata(object), ...fields, held };
}

function smallMetadata({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, uid, resourceVersion, generation, deletionTimestamp, finalizers, labels } = metadata;
  const deployment = labels?.[DEPLOYMENT_LABEL];
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(finalizers !== undefined && { finalizers }),
    ...(deployment !== undefined && { labels: { [DEPLOYMENT_LABEL]: deployment } }),
  };
}

/** Scalars of a spec, and the fields that rollouts depend on. */
function smallSpec(spec: Fields): Fields {
  return Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => typeof value !== 'object' || KEPT_OF_SPEC.has(name)),
  );
}
