import type {
  AccessExplanationResource,
  AccessReasonResource,
  IdentityResource,
  PermittedResourceResource,
} from '#protocol/api';
import type { ToldExplanation, ToldReason } from '../application/explain-to.ts';
import type { Identity } from '../application/ports.ts';
import type { Caller } from '../domain/asker.ts';
import type { Gift } from '../domain/grant.ts';
import type { PermittedResource } from '../domain/lookup-access.ts';
import { pathOf } from '../domain/resource-ref.ts';

/** The caller's identity as the API shows it. */
export function identityResource({ kind, id }: Caller, identity: Identity): IdentityResource {
  const { groups, instanceAdmin, within, roles } = identity;
  return {
    kind,
    id,
    groups: [...groups],
    instanceAdmin,
    ...(within === undefined ? {} : { within: pathOf(within) }),
    ...(roles === undefined ? {} : { roles: [...roles] }),
  };
}

export function permittedResource({ resource, attributes }: PermittedResource): PermittedResourceResource {
  return { resource: pathOf(resource), attributes: attributes.map((set) => ({ ...set })) };
}

export function explanationResource(explanation: ToldExplanation): AccessExplanationResource {
  if (explanation.allowed) return { allowed: true, reasons: explanation.reasons.map(reasonResource) };
  const { denial, needed } = explanation;
  if (needed === undefined) return { allowed: false, reasons: [], denial };
  const { on, roles, permission } = needed;
  return {
    allowed: false,
    reasons: [],
    denial,
    needed: { on: pathOf(on), roles: [...roles], ...(permission === undefined ? {} : { permission }) },
  };
}

/** The role or permission that a grant confers, as the fields of the API. */
export function giftFields(gives: Gift) {
  if (gives.kind === 'role') return { role: gives.role };
  return { permission: gives.permission, attributes: { ...gives.attributes } };
}

function reasonResource(reason: ToldReason): AccessReasonResource {
  if (reason.kind === 'instanceAdmin') return { kind: 'instanceAdmin', path: [] };
  const { subject, gives, grant, path } = reason;
  return {
    kind: 'grant',
    subject: { kind: subject.kind, id: subject.id },
    ...giftFields(gives),
    ...(grant === undefined ? {} : { grant }),
    path: path.map(pathOf),
  };
}
