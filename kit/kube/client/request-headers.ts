import type { Impersonation } from '../config/kube-config.ts';

/** Whom the server shall take us for, if our own identity may do that. */
export function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (!impersonate) return {};
  const { user, uid, groups = [], extra = {} } = impersonate;
  return {
    'impersonate-user': user,
    ...(uid !== undefined && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    // Keys of extras become part of a header's name, so the server undoes percent-encoding there.
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeKey(key)}`, [...values]]),
    ),
  };
}

function encodeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/['()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}
