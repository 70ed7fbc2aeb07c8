import { TOKEN_PREFIXES } from '#kit/std';

/**
 * `fst_<id>_<secret>`: the id finds the row, the secret proves possession. `fss_<secret>` is the token of a session
 * that a one-time login opened for a CLI. The prefixes let secret scanners find leaked tokens.
 */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

const { access, session } = TOKEN_PREFIXES;
const TOKEN = new RegExp(`^${access}([a-z2-7]{16})_([A-Za-z0-9_-]{43})$`);
const SESSION_TOKEN = new RegExp(`^${session}([A-Za-z0-9_-]{43})$`);

export function parseToken(text: string): TokenParts | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function formatToken({ id, secret }: TokenParts): string {
  return `${access}${id}_${secret}`;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const JWT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/**
 * The signed part of a JWT: `header.payload`. Revocation uses it instead of the whole token, since a signature has
 * several valid encodings (ECDSA has two for each). `undefined` for anything else, including non-canonical encodings.
 */
export function signedPartOf(token: string): string | undefined {
  const [, header, payload, signature] = JWT.exec(token) ?? [];
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  return [header, payload, signature].every(isCanonical) ? `${header}.${payload}` : undefined;
}

/** The last character may have unused bits; encoders leave them zero, and decoders ignore them. */
function isCanonical(text: string): boolean {
  const unused = [0, undefined, 4, 2][text.length % 4];
  return unused !== undefined && BASE64URL.indexOf(text.at(-1) ?? '') % 2 ** unused === 0;
}

/** The secret of the session token. */
export function parseSessionToken(text: string): string | undefined {
  return SESSION_TOKEN.exec(text)?.[1];
}

export function formatSessionToken(secret: string): string {
  return `${session}${secret}`;
}
