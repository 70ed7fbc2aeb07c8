import { etagOf } from '#kit/http';
import type { GrantResource } from '#protocol/api';
import { GRANT_VERSION } from '../application/grant-service.ts';
import type { Grant } from '../domain/grant.ts';
import { pathOf } from '../domain/resource-ref.ts';
import { giftFields } from './access-resource.ts';

/** A grant as the API shows it. */
export function grantResource({ uid, name, resource, subject, gives, grantedBy, createTime }: Grant): GrantResource {
  const time = new Date(createTime).toISOString();
  return {
    name,
    uid,
    resource: pathOf(resource),
    resourceUid: resource.uid,
    subject: { kind: subject.kind, id: subject.id },
    ...giftFields(gives),
    grantedBy,
    createTime: time,
    updateTime: time,
    generation: GRANT_VERSION,
    observedGeneration: GRANT_VERSION,
    etag: etagOf({ uid, version: GRANT_VERSION }),
  };
}
