/** The value of one cookie. Of two with the same name none counts: somebody put a second one there. */
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
 * http-only, and Lax: it comes along when a person follows a link here, and not with requests that other sites make. On
 * TLS its name begins with `__Host-`, so that no neighbour on the same domain can set it.
 */
export function setCookie(name: string, value: string, { secure, maxAgeSeconds }: CookieOptions): string {
  const shared = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return `${cookieName(name, secure)}=${value}; ${shared}${secure ? '; Secure' : ''}`;
}

export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}
