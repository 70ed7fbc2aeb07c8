import type { EventSink, FieldFault, ResourceName } from '#kit/std';
import type { AccessEvent } from '../domain/access-event.ts';
import type { Caller } from '../domain/asker.ts';
import type { Question } from '../domain/decide-access.ts';
import type { Explanation } from '../domain/explain-access.ts';
import type { Attributes, Grant } from '../domain/grant.ts';
import type { LookupRange, PermittedResource } from '../domain/lookup-access.ts';
import type { PermissionSchema } from '../domain/permission-schema.ts';
import type { ResourceRef } from '../domain/resource-ref.ts';
import type { Role } from '../domain/role.ts';
import type { Subject } from '../domain/subject.ts';
import type { VisibleSet } from '../domain/visible-set.ts';

/**
 * Decides who may do what. Answers from relationship tuples (resource, role or permission with attributes, subject) on the
 * tree, so that a tuple store such as SpiceDB could implement it: the methods are its CheckPermission, LookupResources,
 * LookupSubjects and ExpandPermissionTree, plus `resolveIdentity`. Attributes are the context of caveats.
 *
 * Routes, lists, event filters, fleetlets and the questions of callers all ask this port: whatever implements it decides
 * everything. Only the shape of the tree, which other contexts own, is read elsewhere.
 *
 * Everything is denied on a resource that does not exist. An undefined permission throws `UNKNOWN_PERMISSION`, except from
 * `allows`, which denies it.
 */
export interface AccessDecisions {
  /** What `check` decides, without its reasons: for every request and every event. */
  allows(caller: Caller, question: Question, signal: AbortSignal): Promise<boolean>;
  /** Where the caller has the permission: exactly the resources on which `allows` is true. For lists. */
  visible(caller: Caller, permission: string, signal: AbortSignal): Promise<VisibleSet>;
  resolveIdentity(caller: Caller, signal: AbortSignal): Promise<Identity>;
  check(caller: Caller, question: Question, signal: AbortSignal): Promise<Verdict>;
  /** In the order of names. Fewer results than the limit: there are no more. */
  lookupPermissions(caller: Caller, lookup: PermissionLookup, signal: AbortSignal): Promise<PermittedResource[]>;
  /** In the order of subject keys. Fewer results than the limit: there are no more. */
  lookupSubjects(lookup: SubjectLookup, signal: AbortSignal): Promise<Subject[]>;
  /** Always agrees with `check`. */
  explain(caller: Caller, question: Question, signal: AbortSignal): Promise<Explanation>;
}

export interface Identity {
  /** `undefined` for the instance's own credential, to which nothing can be granted. */
  readonly subject: Subject | undefined;
  readonly groups: readonly string[];
  /** Whether the caller has every right without a grant. */
  readonly instanceAdmin: boolean;
  readonly within: ResourceRef | undefined;
  /** The roles that the caller's token is narrowed to; `undefined` when it is not narrowed. */
  readonly roles: readonly Role[] | undefined;
}

export interface Verdict {
  readonly allowed: boolean;
  /** All roles that the caller has on the resource. */
  readonly roles: readonly Role[];
  /** For an addon's permission: the sets of values with which the caller has it; any one of them suffices. */
  readonly attributes: readonly Attributes[];
}

export interface PermissionLookup extends LookupRange {
  readonly permission: string;
  /** Only resources on which this caller has `access.lookup`: the limit of what one caller may learn about another. */
  readonly visibleTo?: Caller;
}

export interface SubjectLookup extends Question, LookupRange {}

/** Atomic, and serializable: everything read in it still holds when it commits. */
export interface UnitOfWork {
  readonly grants: GrantStore;
  readonly search: GrantSearch;
  readonly schemas: PermissionSchemaStore;
  readonly resources: ResourceReader;
  readonly events: EventSink<AccessEvent>;
}

/** The grants as one unit of work sees them, including its own changes. */
export interface GrantStore {
  find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined>;
  /** The grant of the same to the same subject on the same resource, whatever its name. */
  findEqual(grant: Grant, signal: AbortSignal): Promise<Grant | undefined>;
  /** Whether the resource has an admin by a grant that is not one of these. */
  hasOtherAdmin(resourceUid: string, besides: readonly Grant[], signal: AbortSignal): Promise<boolean>;
  /** The caller has checked that the name is free on the resource. */
  insert(grant: Grant, signal: AbortSignal): Promise<void>;
  remove(grants: readonly Grant[], signal: AbortSignal): Promise<void>;
}

/** How to select grants. */
export type GrantCriterion =
  | { readonly by: 'resource'; readonly uid: string }
  | { readonly by: 'permission'; readonly permission: string }
  | { readonly by: 'subject'; readonly subject: Subject };

export interface GrantSearch {
  /** In the order of uids. Fewer results than the limit: there are no more. */
  matching(criterion: GrantCriterion, range: LookupRange, signal: AbortSignal): Promise<readonly Grant[]>;
}

/** The grants as last committed. Never waits for a unit of work. */
export interface GrantReader {
  find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined>;
  /** Grants on any of these resources, in the order of name and uid. Fewer than the limit: there are no more. */
  list(range: GrantRange, signal: AbortSignal): Promise<readonly Grant[]>;
}

export interface GrantRange {
  readonly resourceUids: readonly string[];
  readonly after: readonly [name: string, uid: string] | undefined;
  readonly limit: number;
}

export interface PermissionSchemaStore {
  find(name: ResourceName, signal: AbortSignal): Promise<PermissionSchema | undefined>;
  insert(schema: PermissionSchema, signal: AbortSignal): Promise<void>;
  /** The caller has checked that the stored version is the one before this. */
  replace(next: PermissionSchema, signal: AbortSignal): Promise<void>;
  remove(schema: PermissionSchema, signal: AbortSignal): Promise<void>;
}

export interface PermissionSchemaReader {
  find(name: ResourceName, signal: AbortSignal): Promise<PermissionSchema | undefined>;
  /** In the order of names. Fewer results than the limit: there are no more. */
  list(range: LookupRange, signal: AbortSignal): Promise<readonly PermissionSchema[]>;
}

/** The resources that can carry grants, as one unit of work sees them. Other contexts own them. */
export interface ResourceReader {
  find(resource: ResourceRef, signal: AbortSignal): Promise<FoundResource | undefined>;
}

export interface FoundResource {
  readonly uid: string;
  /** The workspace that contains the resource, or the resource itself if it is a workspace. */
  readonly workspace: string;
}

/** Validation of attributes by JSON Schema. */
export interface AttributeRules {
  /** Faults of the schema itself; empty when it is usable. */
  schemaFaults(schema: Attributes): readonly FieldFault[];
  /** Faults of each value, in the order of the values. The schema must be free of faults. */
  valueFaults(schema: Attributes, values: readonly Attributes[]): readonly (readonly FieldFault[])[];
}

/** Whether an admin could still sign in without any grant. */
export interface AdminCredentials {
  remain(signal: AbortSignal): Promise<boolean>;
}

/** The not-found errors of the contexts that own workspaces and targets. */
export interface NotFoundErrors {
  workspace(name: string): Error;
  target(name: string): Error;
}
