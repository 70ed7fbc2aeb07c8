import type { KubeObject } from '#kit/kube';
import { heldHash } from '../domain/drift.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import { DEPLOYMENT_LABEL } from '../domain/kube-object.ts';

/** What is kept of an object that is followed. */
export interface TrimmedObject extends KubeObject {
  /** Of our fields, which are not kept. */
  readonly held: string;
}

/** What is no single value and counts all the same. */
const KEPT_OF_SPEC = new Set(['updateStrategy', 'service']);

type Fields = Readonly<Record<string, unknown>>;

/**
 * What health is judged by, and no more: of kinds of Kubernetes itself, metadata, status and what is small of the spec. What is
 * in templates, data, rules and schemas is most of an object, and nobody looks at it, unless there are rules about the kind.
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

/** Of a spec: single values, and what rollouts go by. */
function smallSpec(spec: Fields): Fields {
  return Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => typeof value !== 'object' || KEPT_OF_SPEC.has(name)),
  );
}
