import { parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { SESSION_KINDS, type Session } from '../../domain/session.ts';
import { invalidRow, optionalText, parsed, storedTexts } from './stored-json.ts';

export const SESSION_COLUMNS = sql.raw(
  'uid, hash, kind, principal_kind, principal_id, member_of, issuer, create_time, last_used_time, expire_time, address, user_agent',
);

export function toSession(row: Row): Session {
  const what = `session ${String(row['uid'])}`;
  const kind = SESSION_KINDS.find((each) => each === row['kind']);
  const principalKind = row['principal_kind'];
  if (kind === undefined || (principalKind !== 'user' && principalKind !== 'admin')) throw invalidRow(what);
  return {
    hash: String(row['hash']),
    uid: parseUuid(String(row['uid'])),
    kind,
    principal: { kind: principalKind, id: String(row['principal_id']) },
    groups: storedTexts(parsed(String(row['member_of']), what), what),
    issuer: optionalText(row['issuer'], what),
    createTime: Number(row['create_time']),
    lastUsedTime: Number(row['last_used_time']),
    expireTime: Number(row['expire_time']),
    address: String(row['address']),
    userAgent: optionalText(row['user_agent'], what),
  };
}
