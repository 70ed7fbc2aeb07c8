import type { JsonObject } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';
import { fault, objectAt, optionalObject, optionalText, requestOf, textAt } from './json-fields.ts';

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/**
 * A request to the API server that is to be admitted. Objects come as the webhook's rules select them, and are
 * validated against their schema only.
 */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** Absent if the server has yet to generate it from `generateName`. */
  readonly name?: string;
  readonly namespace?: string;
  readonly user: UserInfo;
  /** Nothing will be persisted, so the webhook must have no side effects either. */
  readonly dryRun: boolean;
  /** Absent for a DELETE. */
  readonly object?: T;
  /** The existing object, for UPDATE and DELETE. */
  readonly oldObject?: T;
  /** The options of the operation, such as `DeleteOptions`. */
  readonly options?: JsonObject;
}

export const ADMISSION_API = 'admission.k8s.io/v1';

/** Throws `MALFORMED_REVIEW`, which names the field. */
export function parseAdmissionRequest<T extends KubeObject>(body: unknown): AdmissionRequest<T> {
  const path = '/request';
  const request = requestOf(body, ADMISSION_API, 'AdmissionReview');
  const kind = objectAt(request, 'kind', path);
  const resource = objectAt(request, 'resource', path);
  return {
    uid: textAt(request, 'uid', path),
    operation: operationOf(request),
    kind: { ...groupVersion(kind, `${path}/kind`), kind: textAt(kind, 'kind', `${path}/kind`) },
    resource: {
      ...groupVersion(resource, `${path}/resource`),
      resource: textAt(resource, 'resource', `${path}/resource`),
    },
    user: userOf(optionalObject(request, 'userInfo', path) ?? {}),
    dryRun: request['dryRun'] === true,
    ...present('subResource', optionalText(request, 'subResource', path)),
    ...present('name', optionalText(request, 'name', path)),
    ...present('namespace', optionalText(request, 'namespace', path)),
    ...present('object', optionalKubeObject<T>(request, 'object')),
    ...present('oldObject', optionalKubeObject<T>(request, 'oldObject')),
    ...present('options', optionalObject(request, 'options', path)),
  };
}

function operationOf(request: JsonObject): Operation {
  const operation = OPERATIONS.find((known) => known === request['operation']);
  if (operation === undefined) throw fault('/request/operation', `must be one of ${OPERATIONS.join(', ')}`);
  return operation;
}

function groupVersion(of: JsonObject, path: string): { group: string; version: string } {
  return { group: optionalText(of, 'group', path) ?? '', version: textAt(of, 'version', path) };
}

function userOf(info: JsonObject): UserInfo {
  const path = '/request/userInfo';
  const groups = Array.isArray(info['groups']) ? info['groups'].filter((group) => typeof group === 'string') : [];
  return {
    username: optionalText(info, 'username', path) ?? '',
    groups,
    ...present('uid', optionalText(info, 'uid', path)),
  };
}

/**
 * DECISION: only the kind is checked, not the content: the API server has validated it against the schema, which we do
 * not have.
 */
function optionalKubeObject<T extends KubeObject>(request: JsonObject, field: string): T | undefined {
  const object = optionalObject(request, field, '/request');
  if (object === undefined) return undefined;
  textAt(object, 'apiVersion', `/request/${field}`);
  textAt(object, 'kind', `/request/${field}`);
  return object as unknown as T;
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
