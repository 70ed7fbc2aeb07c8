import type { AccessDecisions, AccessIndex } from '#contexts/access';
import type { AccessFacts, AccessQuestion, AccessResolver, ChannelHandler } from '#contexts/channels';
import { decodeAccessRequest, encodeAccessAnswer } from '#contexts/channels/adapters';
import type { Authenticator, Principal } from '#kit/http';
import type { Logger } from '#kit/telemetry';
import { pathOf } from '../access/audit-scopes.ts';

export interface PlatformAccessDeps {
  readonly authenticator: Authenticator;
  readonly decisions: Pick<AccessDecisions, 'visible'>;
  /** For the paths of workspaces. */
  readonly index: AccessIndex;
}

/** How long a fleetlet may cache an answer, and thus how long a revocation can take to reach it. */
const MAX_AGE_MS = 30_000;
const ROOT = 'root';

/** Authenticates a bearer and finds where it has a permission, from the state of this process. */
export function platformAccess({ authenticator, ...parts }: PlatformAccessDeps): AccessResolver {
  return {
    resolve: async (question, signal) => {
      const { token: bearer } = question;
      const credentials = { bearer, headers: {}, method: 'GET', address: '' };
      const principal = await authenticator.authenticate(credentials, signal);
      const facts = principal === undefined ? UNKNOWN : await factsOf(parts, { principal, question }, signal);
      return { facts, maxAgeMs: facts.kind === 'fault' ? 0 : MAX_AGE_MS, staleMs: 0 };
    },
  };
}

export interface AccessHandlerDeps {
  readonly access: AccessResolver;
  readonly log: Logger;
  /** Timeout of a question; 5 s by default. */
  readonly withinMs?: number;
}

const WITHIN_MS = 5_000;

/**
 * Answers the access questions of fleetlets. A question is acknowledged with its answer, so that the window bounds the
 * number of open questions.
 */
export function accessHandler({ access, log, withinMs = WITHIN_MS }: AccessHandlerDeps): ChannelHandler {
  return {
    mode: 'reliable',
    message: (message, { channel }) => {
      const asked = decodeAccessRequest(message.payload);
      if (asked === undefined) return message.ack();
      const { request, question } = asked;
      access
        .resolve(question, AbortSignal.timeout(withinMs))
        .catch((err: unknown) => {
          log.warn({ err }, 'access question not answered; the fleetlet asks again');
          return NO_ANSWER;
        })
        .then((reply) => {
          // If the fleetlet does not receive the answer, it asks again.
          channel.trySend({ payload: encodeAccessAnswer({ ...reply, request }), key: message.key });
          message.ack();
        })
        .catch((err: unknown) => log.error({ err }, 'access answer not sent'));
    },
  };
}

const UNKNOWN: AccessFacts = {
  kind: 'fault',
  code: 'unauthenticated',
  message: 'This token is unknown, revoked or expired.',
};
const NO_ANSWER = {
  facts: { kind: 'fault', code: 'unavailable', message: 'The platform cannot answer right now. Ask again.' },
  maxAgeMs: 0,
  staleMs: 0,
} as const;

async function factsOf(
  { decisions, index }: Omit<PlatformAccessDeps, 'authenticator'>,
  { principal, question }: { readonly principal: Principal; readonly question: AccessQuestion },
  signal: AbortSignal,
): Promise<AccessFacts> {
  if (question.kind === 'identity') {
    const { kind, id, groups = [] } = principal;
    // The id of a user of an isolated or federated issuer begins with the name of the issuer.
    const issuer = kind === 'user' ? id.slice(0, Math.max(0, id.indexOf(':'))) : '';
    return { kind: 'identity', subject: `${kind}:${id}`, groups, issuer };
  }
  const { permission } = question;
  if (!index.knowsPermission(permission)) {
    return { kind: 'fault', code: 'unknownPermission', message: `There is no permission ${permission}.` };
  }
  const visible = await decisions.visible(principal, permission, signal);
  const names = visible.kind === 'everything' ? [ROOT] : visible.workspaces;
  const workspaces = names.flatMap((name) => pathOf(index, { kind: 'workspace', name }) ?? []);
  return { kind: 'permissions', workspaces };
}
