import { IdentityError } from './identity-error.ts';

/** An address that browsers know this platform by. */
export interface OwnOrigin {
  /** `https://fleet.example.com` */
  readonly origin: string;
  readonly secure: boolean;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a page of ours sends along, and a form of somebody else's cannot. */
export const CSRF_HEADER = 'x-fleetshift-csrf';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** By which of our addresses the request came; `undefined` when by none: then it gets no cookie and sets none. */
export function ownOrigin(origins: readonly string[], { host }: RequestHeaders): OwnOrigin | undefined {
  const origin = origins.find((each) => URL.parse(each)?.host === host);
  return origin === undefined ? undefined : { origin, secure: origin.startsWith('https:') };
}

/**
 * A browser sends the cookie whoever wrote the page. So what changes something has to say where it comes from, and to
 * carry a header that no page of another origin can set without asking first, which is never allowed here.
 */
export function checkSameOrigin(headers: RequestHeaders, method: string, own: OwnOrigin): void {
  if (SAFE_METHODS.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOurs = origin === undefined ? site === 'same-origin' : origin === own.origin;
  if (isOurs && headers[CSRF_HEADER] !== undefined) return;
  throw new IdentityError(
    'ORIGIN_REFUSED',
    `With a session cookie, changes are taken from pages of this platform only, with the header ${CSRF_HEADER}. A program sends a token instead.`,
  );
}
