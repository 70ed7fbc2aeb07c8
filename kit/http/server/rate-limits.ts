import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerNetwork } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { HttpLimits, Rate } from './limits.ts';

/**
 * Authenticated callers are counted by principal, all others by address. Credentials are checked first: wrong
 * credentials of one caller never keep out valid ones behind the same address, nor do they use up the limit of public
 * routes.
 */
export interface RateLimits {
  /** A request to a public route, or to no route. */
  countPublic(request: FastifyRequest): Promise<void>;
  /** A request without credentials, or with wrong ones. */
  countFailure(request: FastifyRequest): Promise<void>;
  countKnown(request: FastifyRequest, principal: Principal): Promise<void>;
}

/** How many principals and addresses are remembered; the least recently seen are forgotten first. */
const REMEMBERED = 10_000;

export async function createRateLimits(app: FastifyInstance, limits: HttpLimits): Promise<RateLimits> {
  await app.register(rateLimit, { global: false });
  const principals = new WeakMap<FastifyRequest, Principal>();
  const byAddress = { ...rateOptions(limits.perAddress), keyGenerator: ({ ip }: FastifyRequest) => callerNetwork(ip) };
  const [publicly, failing] = [app.createRateLimit(byAddress), app.createRateLimit(byAddress)];
  const byPrincipal = app.createRateLimit({
    ...rateOptions(limits.perPrincipal),
    keyGenerator: (request) => {
      const principal = principals.get(request);
      return `${principal?.kind}:${principal?.id}`;
    },
  });
  return {
    countPublic: async (request) => refuseIfExceeded(await publicly(request), limits.perAddress),
    countFailure: async (request) => refuseIfExceeded(await failing(request), limits.perAddress),
    countKnown: async (request, principal) => {
      principals.set(request, principal);
      refuseIfExceeded(await byPrincipal(request), limits.perPrincipal);
    },
  };
}

type Verdict = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>;

function rateOptions({ max, windowMs }: Rate) {
  return { max, timeWindow: windowMs, cache: REMEMBERED };
}

function refuseIfExceeded(verdict: Verdict, { max, windowMs }: Rate): void {
  if (verdict.isAllowed || !verdict.isExceeded) return;
  const seconds = Math.max(1, verdict.ttlInSeconds);
  throw new HttpError(
    'RATE_LIMITED',
    `More than ${max} requests came within ${windowMs / 1000} s. Wait ${seconds} s, then continue more slowly.`,
    { headers: { 'retry-after': String(seconds) }, details: { retryAfterSeconds: seconds } },
  );
}
