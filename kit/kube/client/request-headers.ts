import type { Impersonation } from '../config/kube-config.ts';

/** Headers that ask the server to act as another user, if our own identity may impersonate. */
export function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (!impersonate) return {};
  const { user, uid, groups = [], extra = {} } = impersonate;
  return {
    'impersonate-user': user,
    ...(uid !== undefined && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    // Keys of extras become part of a header name, so they are percent-encoded, which the server undoes.
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeKey(key)}`, [...values]]),
    ),
  };
}

function encodeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/['()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}
