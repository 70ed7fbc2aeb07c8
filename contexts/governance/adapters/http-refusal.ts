import type { AuditEntry } from '#kit/http';
import { redact } from '#kit/telemetry';
import { keepable } from '../domain/audit-entry.ts';
import type { Refusal } from '../domain/refusal-window.ts';

/** What the HTTP server saw, in our words and within our bounds. */
export function toRefusal(entry: AuditEntry): Refusal {
  const { time, requestId, operationId, method, params, resource, principal, address, outcome, before, after } = entry;
  return {
    time,
    requestId: written(requestId),
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

/** An issuer numbers its tokens as it likes. */
function shownId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : written(id);
}

/** What a caller wrote himself may hold a token by mistake, as in a path; and this is kept for years. */
function written(text: string): string {
  return keepable(String(redact(text)));
}
