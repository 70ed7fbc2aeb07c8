import { parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { CertificateMark } from '../../domain/certificate-standing.ts';
import { FLEETLET_STATES, type Fleetlet, type IssuedCertificate } from '../../domain/fleetlet.ts';
import { invalidRow } from './invalid-row.ts';

export const FLEETLET_COLUMNS = sql.raw(
  'uid, name, workspace, workspace_path, state, token, key_hash, serial, authority, not_before, not_after, in_use_serial, in_use_not_before, version, create_time, update_time',
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
    inUse: toMark(row),
    version: Number(row['version']),
    createTime: Number(row['create_time']),
    updateTime: Number(row['update_time']),
  };
}

function toMark(row: Row): CertificateMark | undefined {
  const { in_use_serial: serial, in_use_not_before: notBefore } = row;
  return serial == null ? undefined : { serial: String(serial), notBefore: Number(notBefore) };
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
