import { parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { FLEETLET_STATES, type Fleetlet, type IssuedCertificate } from '../../domain/fleetlet.ts';
import { invalidRow } from './invalid-row.ts';

export const FLEETLET_COLUMNS = sql.raw(
  'uid, name, workspace, workspace_path, state, token, key_hash, serial, authority, not_before, not_after, version, create_time, update_time',
);

export function toFleetlet(row: Row): Fleetlet {
  const uid = parseUuid(String(row['uid']));
  const state = FLEETLET_STATES.find((each) => each === row['state']);
  if (state === undefined) throw invalidRow(`fleetlet ${uid}`);
  const { token, key_hash: keyHash } = row;
  return {
    uid,
    name: parseResourceName(String(row['name'])),
    workspace: { name: parseResourceName(String(row['workspace'])), path: String(row['workspace_path']) },
    state,
    origin: token == null ? undefined : { token: String(token), keyHash: String(keyHash) },
    certificate: toCertificate(row),
    version: Number(row['version']),
    createTime: Number(row['create_time']),
    updateTime: Number(row['update_time']),
  };
}

function toCertificate(row: Row): IssuedCertificate | undefined {
  const { serial, authority, not_before: notBefore, not_after: notAfter } = row;
  if (serial == null) return undefined;
  return {
    serial: String(serial),
    authority: parseUuid(String(authority)),
    notBefore: Number(notBefore),
    notAfter: Number(notAfter),
  };
}
