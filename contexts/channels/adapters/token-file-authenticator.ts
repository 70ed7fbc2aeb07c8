import { readFile } from 'node:fs/promises';
import { timingSafeEqualText } from '#kit/std';
import type { LocalAuthenticator, LocalIdentity } from '../application/broker/local-authenticator.ts';
import type { LinkPeer } from '../application/link.ts';

const SHORTEST_TOKEN = 16;

/**
 * Tokens in a file shared with local processes, one per line: a name, a blank and the token; a line that starts with # is a
 * comment. The file is read for each check, so a removed token stops working.
 */
export function createTokenFileAuthenticator(file: string): LocalAuthenticator {
  return {
    mayForget: true,
    identify: async ({ headers }, signal) => {
      const shown = bearer(headers);
      if (shown === undefined) return unknown('a token is needed: authorization: Bearer <token>');
      const known = tokensIn(await readFile(file, { encoding: 'utf8', signal }));
      let found: string | undefined;
      // Compares all of them, so that the time does not reveal which one matched.
      for (const { name, token } of known) if (timingSafeEqualText(token, shown)) found = name;
      return found === undefined
        ? unknown('this token is not known here')
        : { kind: 'known', identity: `token:${found}` };
    },
  };
}

function bearer(headers: LinkPeer['headers']): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
}

/** A line that cannot be parsed is ignored. */
function tokensIn(text: string): { readonly name: string; readonly token: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, name, token] = /^([A-Za-z0-9][-A-Za-z0-9_.]*)[ \t]+(\S+)\s*$/.exec(line) ?? [];
    return name === undefined || token === undefined || token.length < SHORTEST_TOKEN ? [] : [{ name, token }];
  });
}

function unknown(message: string): LocalIdentity {
  return { kind: 'unknown', message };
}
