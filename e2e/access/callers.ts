import assert from 'node:assert/strict';
import type { Role } from '#contexts/access';
import type { Platform, PlatformRequest } from '#testing/platform-process';

/** A caller of the platform: its grants, and the token it authenticates with. */
export interface Caller {
  readonly name: string;
  readonly token: string;
  /** The subject that grants refer to. */
  readonly subject: { readonly kind: string; readonly id: string };
}

export interface Given {
  readonly role: Role;
  /** For example `workspaces/own`. */
  readonly on: string;
}

export interface CallerWish {
  readonly name: string;
  /** The workspace of the caller's service account. */
  readonly workspace?: string;
  readonly given?: readonly Given[];
  /** The scope that the caller's token is narrowed to. */
  readonly scope?: { readonly within?: string; readonly roles?: readonly Role[] };
}

/** The workspace for service accounts that only the test uses. */
export const STAFF = 'staff';

/** Creates a service account with grants and one token, as the administrator. */
export async function addCaller(platform: Platform, wish: CallerWish): Promise<Caller> {
  const { name, workspace = STAFF, given = [], scope } = wish;
  const accounts = `/v1/workspaces/${workspace}/service-accounts`;
  await made(platform, accounts, { name });
  const subject = { kind: 'serviceAccount', id: `${workspace}/${name}` };
  for (const { role, on } of given) await made(platform, `/v1/${on}/grants`, { subject, role });
  const minted = await made(platform, `${accounts}/${name}/tokens`, scope === undefined ? {} : { scope });
  return { name, token: String(minted['token']), subject };
}

/** Creates a resource as the administrator; throws if that fails. */
export async function made(platform: Platform, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await platform.request(path, { method: 'POST', body });
  const text = await answer.text();
  assert.equal(answer.status, 201, `POST ${path} ${JSON.stringify(body)}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Sends a request with the caller's token instead of the administrator's. */
export function ask(platform: Platform, token: string, path: string, init: PlatformRequest = {}): Promise<Response> {
  return platform.request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}
