import type { AuditEntry } from '#kit/http';
import { keepable } from '../domain/audit-entry.ts';
import type { Refusal } from '../domain/refusal-window.ts';

/** What the HTTP server saw, in our words and within our bounds. */
export function toRefusal(entry: AuditEntry): Refusal {
  const { time, requestId, operationId, method, params, resource, principal, address, outcome, before, after } = entry;
  return {
    time,
    requestId: keepable(requestId),
    operation: operationId,
    method,
    params,
    resource: keepable(resource),
    principal: principal && { kind: principal.kind, id: keepable(principal.id) },
    address: keepable(address),
    outcome,
    before,
    after,
  };
}
