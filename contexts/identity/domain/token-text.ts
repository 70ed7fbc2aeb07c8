import { TOKEN_PREFIXES } from '#kit/std';

/**
 * `fst_<id>_<secret>`: the id finds the row, the secret proves it. `fss_<secret>` is the token of a session that a
 * one-time login opened for a CLI. The prefixes are there for scanners that look for what leaked.
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
 * What an issuer signed of its token: `header.payload`. By this a token is revoked, as its signature can be written in several
 * ways: ECDSA has two for each. `undefined` for anything else, spellings of a token that encoders do not write included.
 */
export function signedPartOf(token: string): string | undefined {
  const [, header, payload, signature] = JWT.exec(token) ?? [];
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  return [header, payload, signature].every(isCanonical) ? `${header}.${payload}` : undefined;
}

/** The last character may have bits that decode to nothing; encoders leave them zero, and decoders do not look. */
function isCanonical(text: string): boolean {
  const unused = [0, undefined, 4, 2][text.length % 4];
  return unused !== undefined && BASE64URL.indexOf(text.at(-1) ?? '') % 2 ** unused === 0;
}

/** The secret of the session. */
export function parseSessionToken(text: string): string | undefined {
  return SESSION_TOKEN.exec(text)?.[1];
}

export function formatSessionToken(secret: string): string {
  return `${session}${secret}`;
}
