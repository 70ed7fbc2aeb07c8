import type { AuditEntryResource, AuditVerificationResource } from '#protocol/api';
import type { Verification } from '../application/verify-audit.ts';
import type { ChainedEntry } from '../domain/audit-chain.ts';

/** As the API shows it. Chain positions reveal the number of entries, so only callers who see the whole log get them. */
export function toAuditResource({ entry, position, hash }: ChainedEntry, seesAll: boolean): AuditEntryResource {
  const { id, count, requestId, operation, method, resource, scope, principal, address, outcome } = entry;
  const workspace = scope?.split('/').at(-2);
  return {
    uid: id,
    time: new Date(entry.time).toISOString(),
    lastTime: new Date(entry.lastTime).toISOString(),
    count,
    requestId,
    operation,
    method,
    resource,
    ...(workspace === undefined ? {} : { workspace }),
    ...(principal === undefined ? {} : { principal }),
    ...(entry.token === undefined ? {} : { token: entry.token }),
    ...(entry.session === undefined ? {} : { session: entry.session }),
    ...(entry.clientRequestId === undefined ? {} : { clientRequestId: entry.clientRequestId }),
    address,
    outcome,
    ...(entry.before === undefined ? {} : { beforeHash: entry.before }),
    ...(entry.after === undefined ? {} : { afterHash: entry.after }),
    ...(seesAll ? { position, hash } : {}),
  };
}

export function toVerificationResource(verification: Verification): AuditVerificationResource {
  const { checked, pending, start, head, faults, next } = verification;
  return {
    intact: faults.length === 0,
    checked,
    pending,
    start: { position: start.position, hash: start.hash },
    head: { position: head.position, hash: head.hash },
    faults: [...faults],
    ...(next === undefined ? {} : { next }),
  };
}
