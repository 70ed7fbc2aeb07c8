import assert from 'node:assert/strict';
import type { Role } from '#contexts/access';
import type { Platform, PlatformRequest } from '#testing/platform-process';

/** Somebody who asks a platform: what he was given, and the token that he asks with. */
export interface Caller {
  readonly name: string;
  readonly token: string;
  /** As grants name him. */
  readonly subject: { readonly kind: string; readonly id: string };
}

export interface Given {
  readonly role: Role;
  /** `workspaces/own`. */
  readonly on: string;
}

export interface CallerWish {
  readonly name: string;
  /** Where his service account lives. */
  readonly workspace?: string;
  readonly given?: readonly Given[];
  /** What his token is narrowed to. */
  readonly scope?: { readonly within?: string; readonly roles?: readonly Role[] };
}

/** The workspace of service accounts that are nobody's business but the test's. */
export const STAFF = 'staff';

/** Makes a service account with grants and one token, as the administrator would. */
export async function addCaller(platform: Platform, wish: CallerWish): Promise<Caller> {
  const { name, workspace = STAFF, given = [], scope } = wish;
  const accounts = `/v1/workspaces/${workspace}/service-accounts`;
  await made(platform, accounts, { name });
  const subject = { kind: 'serviceAccount', id: `${workspace}/${name}` };
  for (const { role, on } of given) await made(platform, `/v1/${on}/grants`, { subject, role });
  const minted = await made(platform, `${accounts}/${name}/tokens`, scope === undefined ? {} : { scope });
  return { name, token: String(minted['token']), subject };
}

/** Creates something as the administrator, who must be able to. */
export async function made(platform: Platform, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await platform.request(path, { method: 'POST', body });
  const text = await answer.text();
  assert.equal(answer.status, 201, `POST ${path} ${JSON.stringify(body)}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** The same request with other credentials. */
export function ask(platform: Platform, token: string, path: string, init: PlatformRequest = {}): Promise<Response> {
  return platform.request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}
