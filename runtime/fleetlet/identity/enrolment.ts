import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { backoffDelay, type Clock, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import { certificateWord } from './certificate-word.ts';
import type { Identity, IdentityStore, KeyPair, PlatformFacts } from './identity-store.ts';
import { type PlatformApiDeps, type PlatformRequest, postToPlatform } from './platform-api.ts';

/** Stores the identity outside the data folder, for other processes of the same fleetlet and for its successors. */
export interface IdentityKeeper {
  /** A pair that another process stored meanwhile; `undefined` if it is not newer. */
  newerThan(own: Identity, signal: AbortSignal): Promise<KeyPair | undefined>;
  /** Stores a pair before its first use. Returns the valid one: another process may have been faster. */
  keep(pair: KeyPair, signal: AbortSignal): Promise<KeyPair>;
}

export interface EnrolmentDeps {
  readonly store: IdentityStore;
  readonly keeper?: IdentityKeeper | undefined;
  /** Of the address in the settings, and of the replicas that are known: each of them enrols and renews. */
  readonly apis: () => readonly PlatformApiDeps[];
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

const RENEW_PATH = '/v1/enroll:renew';
const PACE = { baseMs: 1_000, capMs: 60_000 };

/** The existing identity, or a new one obtained with the bootstrap token. Retries while the platform is unreachable. */
export async function enrolled(
  deps: EnrolmentDeps,
  config: Pick<FleetletConfig, 'bootstrapToken' | 'bootstrapTokenFile' | 'target'>,
  signal: AbortSignal,
): Promise<Identity> {
  const { store, log } = deps;
  if (store.identity !== undefined) return store.identity;
  const token = bootstrapToken(config);
  if (token === undefined) {
    const message = `this fleetlet has no certificate in ${store.folder} and no bootstrap token; set --bootstrap-token-file`;
    throw new FleetletError('NOT_ENROLLED', message);
  }
  const body = {
    token,
    csr: await signingRequest(store.key, 'fleetlet'),
    targets: config.target.map(({ name, type }) => ({ name, type })),
  };
  const request = () => ({ path: '/v1/enroll', body });
  const answer = await untilReached(deps, () => postToAny(deps.apis(), request, signal), signal);
  // The key is already stored; the certificate can be requested again with it.
  const identity = store.save(pairOf(store.key, answer));
  log.info({ subject: `fleetlet/${identity.platform.fleetlet}`, count: config.target.length }, 'enrolled');
  return identity;
}

/**
 * Obtains a new key and certificate, even if the current certificate has expired. Locally the old pair stays valid
 * until the new one is on disk and stored; at the platform, until the new one is first used there.
 */
export async function renewed(
  { store, keeper, apis, clock }: EnrolmentDeps,
  own: Identity,
  signal: AbortSignal,
): Promise<Identity> {
  const found = await keeper?.newerThan(own, signal);
  if (found !== undefined) return store.save(found);
  const key = store.nextKey();
  const body = { csr: await signingRequest(key, own.platform.fleetlet) };
  const request = () => ({ path: RENEW_PATH, body, bearer: certificateWord(store, RENEW_PATH, clock.now()) });
  const pair = pairOf(key, await postToAny(apis(), request, signal));
  return store.save(keeper === undefined ? pair : await keeper.keep(pair, signal));
}

/** Asks one replica after the other, until one answers; a refusal is an answer. */
async function postToAny(
  apis: readonly PlatformApiDeps[],
  request: () => PlatformRequest,
  signal: AbortSignal,
): Promise<unknown> {
  let failure: unknown;
  for (const api of apis) {
    try {
      return await postToPlatform(api, request(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FleetletError) || error.entry.retry !== 'later') throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/** The module that creates requests is large, and rarely needed. */
async function signingRequest(key: KeyObject, name: string): Promise<string> {
  const { createSigningRequest } = await import('#kit/pki');
  return createSigningRequest(key, name);
}

function bootstrapToken({
  bootstrapToken: given,
  bootstrapTokenFile: file,
}: Pick<FleetletConfig, 'bootstrapToken' | 'bootstrapTokenFile'>): string | undefined {
  if (file === undefined) return given?.reveal();
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetletError('FILE_UNUSABLE', `--bootstrap-token-file ${file} cannot be read: ${why}`, { cause });
  }
}

async function untilReached<T>({ log, sleep }: EnrolmentDeps, body: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await body();
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof FleetletError) || err.entry.retry !== 'later') throw err;
      const retryInMs = backoffDelay(PACE, attempt, Math.random);
      log.warn({ err, attempt, retryInMs }, 'enrolment failed; retrying');
      await sleep(retryInMs, signal);
    }
  }
}

function pairOf(key: KeyObject, answer: unknown): KeyPair {
  const { certificate, fleetlet, serverCa, endpoints } = answer as Partial<PlatformFacts> & { certificate?: unknown };
  if (typeof certificate !== 'string' || typeof fleetlet !== 'string') {
    throw new FleetletError('PLATFORM_UNREACHABLE', 'not a platform: the answer has no certificate');
  }
  return { key, pem: certificate, platform: { fleetlet, serverCa, endpoints: endpoints ?? {} } };
}
