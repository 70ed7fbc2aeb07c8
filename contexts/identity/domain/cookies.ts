/** The value of one cookie. Of two with the same name neither counts, since one of them was planted. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const prefix = `${name}=`;
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
}

export interface CookieOptions {
  readonly secure: boolean;
  readonly maxAgeSeconds: number;
}

/**
 * HttpOnly and SameSite=Lax: sent when a user follows a link to the platform, but not with requests that other sites
 * make. On TLS the name begins with `__Host-`, so that no other host of the domain can set it.
 */
export function setCookie(name: string, value: string, { secure, maxAgeSeconds }: CookieOptions): string {
  const shared = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return `${cookieName(name, secure)}=${value}; ${shared}${secure ? '; Secure' : ''}`;
}

export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}
