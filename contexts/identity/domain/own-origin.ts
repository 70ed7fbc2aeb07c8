import { IdentityError } from './identity-error.ts';

/** An origin by which browsers reach this platform. */
export interface OwnOrigin {
  /** `https://fleet.example.com` */
  readonly origin: string;
  readonly secure: boolean;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A header that the platform's pages send, and forms of other sites cannot. */
export const CSRF_HEADER = 'x-fleetshift-csrf';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The configured origin that the request was sent to; `undefined` when there is none: such a request uses and sets no
 * cookies.
 */
export function ownOrigin(origins: readonly string[], { host }: RequestHeaders): OwnOrigin | undefined {
  const origin = origins.find((each) => URL.parse(each)?.host === host);
  return origin === undefined ? undefined : { origin, secure: origin.startsWith('https:') };
}

/**
 * A browser sends the cookie with requests of any page. So a request that changes something has to state its origin,
 * and to carry a header that a page of another origin cannot set without a CORS preflight, which is never granted.
 */
export function checkSameOrigin(headers: RequestHeaders, method: string, own: OwnOrigin): void {
  if (SAFE_METHODS.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOurs = origin === undefined ? site === 'same-origin' : origin === own.origin;
  if (isOurs && headers[CSRF_HEADER] !== undefined) return;
  throw new IdentityError(
    'ORIGIN_REFUSED',
    `With a session cookie, changes are accepted from pages of this platform only, with the header ${CSRF_HEADER}. Programs should send a token instead.`,
  );
}
