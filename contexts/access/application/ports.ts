import type { FieldFault, ResourceName } from '#kit/std';
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

/**
 * Who may do what. Answers from relationship tuples (resource, role or permission with attributes, subject) on the
 * tree, and asks nothing that a tuple store such as SpiceDB could not answer: the five are its CheckPermission,
 * LookupResources, LookupSubjects and ExpandPermissionTree, and who somebody is. Attributes are the context of caveats.
 *
 * A resource that does not exist is one that nobody may touch. `UNKNOWN_PERMISSION` when nobody defined it.
 */
export interface AccessDecisions {
  resolveIdentity(caller: Caller, signal: AbortSignal): Promise<Identity>;
  check(caller: Caller, question: Question, signal: AbortSignal): Promise<Verdict>;
  /** By name. Fewer than the limit means that there are no more. */
  lookupPermissions(caller: Caller, lookup: PermissionLookup, signal: AbortSignal): Promise<PermittedResource[]>;
  /** By kind and id: the place in the order is the key of a subject. Fewer than the limit means that there are no more. */
  lookupSubjects(lookup: SubjectLookup, signal: AbortSignal): Promise<Subject[]>;
  /** Its verdict is that of `check`. */
  explain(caller: Caller, question: Question, signal: AbortSignal): Promise<Explanation>;
}

export interface Identity {
  /** `undefined` for the holder of the instance's own credential, to whom nothing can be granted. */
  readonly subject: Subject | undefined;
  readonly groups: readonly string[];
  /** Whether he has every right without a grant. */
  readonly instanceAdmin: boolean;
  readonly within: ResourceRef | undefined;
  /** The roles that his token is narrowed to; `undefined` when it is not. */
  readonly roles: readonly Role[] | undefined;
}

export interface Verdict {
  readonly allowed: boolean;
  /** All that he has there. */
  readonly roles: readonly Role[];
  /** Of an addon's permission: with any of these sets of values. */
  readonly attributes: readonly Attributes[];
}

export interface PermissionLookup extends LookupRange {
  readonly permission: string;
  /** Only resources on which this one has `access.lookup`: what one caller may know of another. */
  readonly visibleTo?: Caller;
}

export interface SubjectLookup extends Question, LookupRange {}

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly grants: GrantStore;
  readonly search: GrantSearch;
  readonly schemas: PermissionSchemaStore;
  readonly resources: ResourceReader;
  readonly events: EventSink;
}

/** The grants as one unit of work sees them, its own changes included. */
export interface GrantStore {
  find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined>;
  /** The one that gives the same to the same subject on the same resource, whatever its name. */
  findEqual(grant: Grant, signal: AbortSignal): Promise<Grant | undefined>;
  /** Whether somebody is admin of the same resource by a grant that is none of these. */
  hasOtherAdmin(resourceUid: string, besides: readonly Grant[], signal: AbortSignal): Promise<boolean>;
  /** Its name on its resource is free: the caller has looked. */
  insert(grant: Grant, signal: AbortSignal): Promise<void>;
  remove(grants: readonly Grant[], signal: AbortSignal): Promise<void>;
}

/** By what grants are looked for. */
export type GrantCriterion =
  | { readonly by: 'resource'; readonly uid: string }
  | { readonly by: 'permission'; readonly permission: string }
  | { readonly by: 'subject'; readonly subject: Subject };

export interface GrantSearch {
  /** In the order of uids. Fewer than the limit means that there are no more. */
  matching(criterion: GrantCriterion, range: LookupRange, signal: AbortSignal): Promise<readonly Grant[]>;
}

/** The grants as they were last committed. Never waits for a unit of work. */
export interface GrantReader {
  find(resourceUid: string, name: ResourceName, signal: AbortSignal): Promise<Grant | undefined>;
  /** On any of these resources, in the order of name and uid. Fewer than the limit means that there are no more. */
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
  /** The stored one is the version before this: the caller has looked. */
  replace(next: PermissionSchema, signal: AbortSignal): Promise<void>;
  remove(schema: PermissionSchema, signal: AbortSignal): Promise<void>;
}

export interface PermissionSchemaReader {
  find(name: ResourceName, signal: AbortSignal): Promise<PermissionSchema | undefined>;
  /** In the order of names. Fewer than the limit means that there are no more. */
  list(range: LookupRange, signal: AbortSignal): Promise<readonly PermissionSchema[]>;
}

/** What can be granted on, as one unit of work sees it. Others keep it. */
export interface ResourceReader {
  find(resource: ResourceRef, signal: AbortSignal): Promise<FoundResource | undefined>;
}

export interface FoundResource {
  readonly uid: string;
  /** The workspace that it is in, or is. */
  readonly workspace: string;
}

/** Takes down what happened, for everybody who wants to know. In order for each thing; kept if the unit is. */
export interface EventSink {
  append(events: readonly AccessEvent[], signal: AbortSignal): Promise<void>;
}

/** What a JSON Schema says of values. */
export interface AttributeRules {
  /** What is wrong with the schema itself; nothing when it can be used. */
  schemaFaults(schema: Attributes): readonly FieldFault[];
  /** What is wrong with each of the values, in their order. The schema has no faults. */
  valueFaults(schema: Attributes, values: readonly Attributes[]): readonly (readonly FieldFault[])[];
}

/** Whether somebody could still come in as admin without any grant. */
export interface AdminCredentials {
  remain(signal: AbortSignal): Promise<boolean>;
}

/** What the contexts that keep workspaces and targets throw for one that does not exist. */
export interface NotFoundErrors {
  workspace(name: string): Error;
  target(name: string): Error;
}

/** What the caller wants to be true of a thing before it is changed; throws when it is not. */
export interface Precondition {
  check(current: { readonly uid: string; readonly version: number } | undefined): void;
}
