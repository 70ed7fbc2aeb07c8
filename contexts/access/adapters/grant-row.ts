import { contentHash, FleetError, parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { AccessError, invalidGrant } from '../domain/access-error.ts';
import type { Gift, Grant } from '../domain/grant.ts';
import { parseGrant, type RawGrant } from '../domain/new-grant.ts';
import { RESOURCE_KINDS, type ResourceKind } from '../domain/resource-ref.ts';
import { parseObject } from './parse-object.ts';

/** The columns that `toGrant` reads, by name: the table may have more, when a newer release has migrated it. */
export const GRANT_COLUMNS = sql.raw(
  'uid, name, resource_kind, resource_name, resource_uid, subject_kind, subject_id, role, permission, attributes, granted_by, create_time',
);

/** Runs the same checks as on user input, since a restored or repaired database can hold anything. */
export function toGrant(row: Row): Grant {
  try {
    const { subject, gives } = parseGrant(rawOf(row));
    return {
      uid: parseUuid(String(row['uid'])),
      name: parseResourceName(String(row['name'])),
      resource: {
        kind: toKind(String(row['resource_kind'])),
        name: String(row['resource_name']),
        uid: String(row['resource_uid']),
      },
      subject,
      gives,
      grantedBy: String(row['granted_by']),
      createTime: Number(row['create_time']),
    };
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new AccessError('STORED_ACCESS_INVALID', `read grant ${String(row['uid'])}`, { cause });
  }
}

/** Equal for grants of the same role or permission to the same subject on the same resource. */
export function fingerprintOf({ resource, subject, gives }: Pick<Grant, 'resource' | 'subject' | 'gives'>): string {
  return contentHash({ resource: resource.uid, subject, gives });
}

/** The columns `role`, `permission` and `attributes`. */
export function giftColumns(gives: Gift): readonly [string | null, string | null, string | null] {
  if (gives.kind === 'role') return [gives.role, null, null];
  return [null, gives.permission, JSON.stringify(gives.attributes)];
}

function rawOf(row: Row): RawGrant {
  const subject = { kind: String(row['subject_kind']), id: String(row['subject_id']) };
  if (row['permission'] === null) return { subject, role: String(row['role']) };
  return { subject, permission: String(row['permission']), attributes: parseObject(String(row['attributes'])) };
}

function toKind(raw: string): ResourceKind {
  const kind = RESOURCE_KINDS.find((each) => each === raw);
  if (kind !== undefined) return kind;
  throw invalidGrant([{ path: '/resource', message: `is a ${raw}, which this release does not know` }]);
}
