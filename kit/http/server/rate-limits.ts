import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { HttpLimits, Rate } from './limits.ts';

/**
 * Who is known is counted by name, so that those behind one address do not stand in each other's way. Who is not is
 * counted by address, and an address that used up its share is not even authenticated: guessing tokens ends there.
 */
export interface RateLimits {
  checkAddress(request: FastifyRequest): Promise<void>;
  count(request: FastifyRequest, principal: Principal | undefined): Promise<void>;
}

/** How many principals and addresses are remembered; the longest unseen are forgotten first. */
const REMEMBERED = 10_000;

export async function createRateLimits(app: FastifyInstance, limits: HttpLimits): Promise<RateLimits> {
  await app.register(rateLimit, { global: false });
  const principals = new WeakMap<FastifyRequest, Principal>();
  const byAddress = app.createRateLimit(rateOptions(limits.perAddress));
  const byPrincipal = app.createRateLimit({
    ...rateOptions(limits.perPrincipal),
    keyGenerator: (request) => {
      const principal = principals.get(request);
      return `${principal?.kind}:${principal?.id}`;
    },
  });
  return {
    checkAddress: async (request) =>
      refuseIfExceeded(await byAddress(request, { increment: false }), limits.perAddress),
    count: async (request, principal) => {
      if (principal === undefined) return refuseIfExceeded(await byAddress(request), limits.perAddress);
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
    `More than ${max} requests came within ${windowMs / 1000} s. Wait ${seconds} s, then go on more slowly.`,
    { headers: { 'retry-after': String(seconds) }, details: { retryAfterSeconds: seconds } },
  );
}
