import type { Precondition, ResourceName, Uuid, Versioned } from '#kit/std';
import { AccessError, invalidGrant } from '../domain/access-error.ts';
import type { Caller } from '../domain/asker.ts';
import type { Gift, Grant } from '../domain/grant.ts';
import { checkMayGrant } from '../domain/may-grant.ts';
import { newGrant, parseGrant, type RawGrant } from '../domain/new-grant.ts';
import { pathOf, type ResourceRef, ROOT } from '../domain/resource-ref.ts';
import type {
  AccessDecisions,
  AdminCredentials,
  AttributeRules,
  FoundResource,
  GrantReader,
  NotFoundErrors,
  ResourceReader,
  UnitOfWork,
} from './ports.ts';
import { removeGrants } from './remove-grants.ts';

export interface GrantServiceDeps {
  readonly newUid: () => Uuid;
  readonly decisions: AccessDecisions;
  readonly rules: AttributeRules;
  readonly admins: AdminCredentials;
  readonly notFound: NotFoundErrors;
}

export interface CreateGrant {
  readonly caller: Caller;
  readonly resource: ResourceRef;
  readonly draft: RawGrant;
  readonly now: number;
}

export interface FindGrant {
  readonly resource: ResourceRef;
  readonly name: ResourceName;
}

export interface DeleteGrant extends FindGrant {
  readonly precondition: Precondition<Versioned | undefined>;
  readonly now: number;
}

/** A grant never changes, so the version in its etag is constant. */
export const GRANT_VERSION = 1;

/**
 * Creates and revokes grants. The route has already checked that the caller may grant on the resource at all; this
 * service checks that the caller has what it grants. The unit of work belongs to the caller, as for every service.
 */
export class GrantService {
  readonly #deps: GrantServiceDeps;

  constructor(deps: GrantServiceDeps) {
    this.#deps = deps;
  }

  async create(
    unit: UnitOfWork,
    { caller, resource, draft: raw, now }: CreateGrant,
    signal: AbortSignal,
  ): Promise<Grant> {
    const draft = parseGrant(raw);
    const found = await this.#resource(unit.resources, resource, signal);
    await this.#checkGift(unit, draft.gives, signal);
    await this.#checkStanding(caller, { resource, gives: draft.gives }, signal);
    const grantedBy = `${caller.kind}:${caller.id}`;
    const grantedOn = { kind: resource.kind, name: resource.name, uid: found.uid };
    const grant = newGrant(draft, { resource: grantedOn, uid: this.#deps.newUid(), grantedBy, now });
    const equal = await unit.grants.findEqual(grant, signal);
    if (equal !== undefined) throw alreadyThere(equal);
    if (await unit.grants.find(found.uid, grant.name, signal)) throw nameTaken(grant);
    await unit.grants.insert(grant, signal);
    await unit.events.append([{ type: 'grant.created', grant, workspace: found.workspace }], now, signal);
    return grant;
  }

  async get(
    { grants, resources }: { grants: Pick<GrantReader, 'find'>; resources: ResourceReader },
    { resource, name }: FindGrant,
    signal: AbortSignal,
  ): Promise<Grant> {
    const { uid } = await this.#resource(resources, resource, signal);
    const grant = await grants.find(uid, name, signal);
    if (grant === undefined) throw notFound(resource, name);
    return grant;
  }

  async delete(unit: UnitOfWork, { precondition, now, ...which }: DeleteGrant, signal: AbortSignal): Promise<Grant> {
    const grant = await this.get(unit, which, signal);
    precondition.check({ uid: grant.uid, version: GRANT_VERSION });
    await removeGrants({ unit, admins: this.#deps.admins }, { grants: [grant], now }, signal);
    return grant;
  }

  async #checkGift(unit: UnitOfWork, gives: Gift, signal: AbortSignal): Promise<void> {
    if (gives.kind === 'role') return;
    const { permission, attributes } = gives;
    const schema = await unit.schemas.find(permission as ResourceName, signal);
    if (schema === undefined) throw unknownPermission(permission);
    const [faults = []] = this.#deps.rules.valueFaults(schema.attributesSchema, [attributes]);
    const inPlace = faults.map(({ path, message }) => ({ path: `/attributes${path}`, message }));
    if (inPlace.length > 0) throw invalidGrant(inPlace);
  }

  async #checkStanding(
    caller: Caller,
    { resource, gives }: { resource: ResourceRef; gives: Gift },
    signal: AbortSignal,
  ): Promise<void> {
    const { decisions } = this.#deps;
    const permission = gives.kind === 'role' ? 'grants.create' : gives.permission;
    const { roles, attributes } = await decisions.check(caller, { permission, resource }, signal);
    const root = await decisions.check(caller, { permission: 'permissionSchemas.update', resource: ROOT }, signal);
    // A token narrowed to roles holds no permission by name, whatever its roles allow.
    const definesPermissions = root.allowed && caller.scope?.roles === undefined;
    checkMayGrant(gives, { roles, attributes, definesPermissions });
  }

  async #resource(resources: ResourceReader, resource: ResourceRef, signal: AbortSignal): Promise<FoundResource> {
    const found = await resources.find(resource, signal);
    if (found === undefined) throw this.#deps.notFound[resource.kind](resource.name);
    return found;
  }
}

/** For a permission that has no definition. */
export function unknownPermission(permission: string): AccessError {
  const message = 'is not a defined permission';
  return new AccessError(
    'UNKNOWN_PERMISSION',
    `${permission} ${message}. List the permission schemas to see which exist.`,
    {
      faults: [{ path: '/permission', message }],
    },
  );
}

function notFound(resource: ResourceRef, name: string): AccessError {
  return new AccessError('GRANT_NOT_FOUND', `There is no grant ${name} on ${pathOf(resource)}.`);
}

function nameTaken({ name, resource }: Grant): AccessError {
  return new AccessError(
    'GRANT_NAME_TAKEN',
    `Grant ${name} on ${pathOf(resource)} already exists. Choose another name, or omit it.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}

function alreadyThere({ name, resource }: Grant): AccessError {
  return new AccessError(
    'GRANT_EXISTS',
    `Grant ${name} on ${pathOf(resource)} already gives the same to this subject.`,
    {
      details: { grant: name },
    },
  );
}
