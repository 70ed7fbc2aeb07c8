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

/** The secret of the session. */
export function parseSessionToken(text: string): string | undefined {
  return SESSION_TOKEN.exec(text)?.[1];
}

export function formatSessionToken(secret: string): string {
  return `${session}${secret}`;
}
