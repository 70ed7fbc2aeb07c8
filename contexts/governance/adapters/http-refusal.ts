import type { AuditEntry } from '#kit/http';
import { redact } from '#kit/telemetry';
import { keepable } from '../domain/audit-entry.ts';
import type { Refusal } from '../domain/refusal-window.ts';

/** Converts an entry of the HTTP server, within the limits of the audit log. */
export function toRefusal(entry: AuditEntry): Refusal {
  const { time, requestId, operationId, method, params, resource, principal, address, outcome, before, after } = entry;
  return {
    time,
    requestId: written(requestId),
    clientRequestId: shownId(entry.clientRequestId),
    operation: operationId,
    method,
    params,
    resource: written(resource),
    principal: principal && { kind: principal.kind, id: keepable(principal.id) },
    token: shownId(principal?.shown?.token),
    session: shownId(principal?.shown?.session),
    address: keepable(address),
    outcome,
    before,
    after,
  };
}

/** An issuer may choose any token ids. */
function shownId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : written(id);
}

/** Text chosen by a caller may contain a token by mistake, for example in a path; and it is kept for years. */
function written(text: string): string {
  return keepable(String(redact(text)));
}
