import { parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { type AccountToken, ROLES, type TokenScope } from '../../domain/account-token.ts';
import { invalidRow, optionalText, storedObject, storedText, storedTexts } from './stored-json.ts';

export const TOKEN_COLUMNS = sql.raw(
  'id, account, hash, display_name, scope, create_time, expire_time, last_used_time, rotated_to',
);

export function toToken(row: Row): AccountToken {
  const id = String(row['id']);
  const what = `token ${id}`;
  return {
    id,
    account: parseUuid(String(row['account'])),
    hash: String(row['hash']),
    displayName: optionalText(row['display_name'], what),
    scope: toScope(String(row['scope']), what),
    createTime: Number(row['create_time']),
    expireTime: Number(row['expire_time']),
    lastUsedTime: row['last_used_time'] == null ? undefined : Number(row['last_used_time']),
    rotatedTo: optionalText(row['rotated_to'], what),
  };
}

/** Ignoring an unreadable scope would widen the token, so the token is refused. */
function toScope(text: string, what: string): TokenScope {
  const { within, roles, ...unknown } = storedObject(text, what);
  if (Object.keys(unknown).length > 0) throw invalidRow(what);
  return {
    ...(within === undefined ? {} : { within: storedText(within, what) }),
    ...(roles === undefined ? {} : { roles: storedTexts(roles, what).map((role) => toRole(role, what)) }),
  };
}

function toRole(raw: string, what: string): (typeof ROLES)[number] {
  const role = ROLES.find((each) => each === raw);
  if (role === undefined) throw invalidRow(what);
  return role;
}
