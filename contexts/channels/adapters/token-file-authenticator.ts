import { readFile } from 'node:fs/promises';
import { timingSafeEqualText } from '#kit/std';
import type { LocalAuthenticator, LocalIdentity } from '../application/broker/local-authenticator.ts';
import type { LinkPeer } from '../application/link.ts';

const SHORTEST_TOKEN = 16;

/**
 * Tokens in a file that local processes share, a line each: a name, a blank, and the token; what begins with # is a
 * remark. It is read each time, so that a token that was taken out is not taken any more.
 */
export function createTokenFileAuthenticator(file: string): LocalAuthenticator {
  return {
    mayForget: true,
    identify: async ({ headers }, signal) => {
      const shown = bearer(headers);
      if (shown === undefined) return unknown('a token is needed: authorization: Bearer <token>');
      const known = tokensIn(await readFile(file, { encoding: 'utf8', signal }));
      let found: string | undefined;
      // All of them, so that the time it takes says nothing about which.
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

/** A line that is not understood lets nobody in. */
function tokensIn(text: string): { readonly name: string; readonly token: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, name, token] = /^([A-Za-z0-9][-A-Za-z0-9_.]*)[ \t]+(\S+)\s*$/.exec(line) ?? [];
    return name === undefined || token === undefined || token.length < SHORTEST_TOKEN ? [] : [{ name, token }];
  });
}

function unknown(message: string): LocalIdentity {
  return { kind: 'unknown', message };
}
