import assert from 'node:assert/strict';
import type { HttpServer } from '#kit/http';
import { AS_ADMIN } from './identity-server.ts';

export interface Called {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- A test looks into answers whose shape it is about to prove.
  readonly body: any;
}

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status; any other fails the test. */
  readonly want?: number;
}

/** `call(server, 'POST /v1/issuers', { body, want: 201 })`; as the administrator by default. */
export async function call(server: HttpServer, what: string, options: CallOptions = {}): Promise<Called> {
  const { body: sent, headers = AS_ADMIN, want } = options;
  const [method = 'GET', url = '/'] = what.split(' ');
  const json = sent === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await server.inject({
    method,
    url,
    headers: { ...headers, ...json },
    ...(sent === undefined ? {} : { payload: JSON.stringify(sent) }),
  });
  if (want !== undefined) assert.equal(answer.statusCode, want, `${what}: ${answer.body}`);
  const isJson = String(answer.headers['content-type'] ?? '').includes('json');
  const body: unknown = isJson ? JSON.parse(answer.body) : answer.body;
  return { status: answer.statusCode, headers: answer.headers, body };
}

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
