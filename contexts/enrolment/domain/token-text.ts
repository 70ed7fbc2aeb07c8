import { TOKEN_PREFIXES } from '#kit/std';

/**
 * `fsb_<id>_<secret>`: the id finds the row, the secret proves possession. The prefix lets secret scanners find leaked
 * tokens.
 */
export interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

const PREFIX = TOKEN_PREFIXES.bootstrap;
const TOKEN = new RegExp(`^${PREFIX}([a-z2-7]{16})_([A-Za-z0-9_-]{43})$`);

export function parseBootstrapToken(text: string): TokenParts | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function formatBootstrapToken({ id, secret }: TokenParts): string {
  return `${PREFIX}${id}_${secret}`;
}
