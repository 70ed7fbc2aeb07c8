import { contentHash, FleetError } from '#kit/std';
import type { Storage, Transaction } from '#kit/storage';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import type { Answer } from '../routes/answer.ts';
import type { RouteRequest } from '../routes/route-request.ts';
import {
  claimKey,
  findRecord,
  type IdempotencyClaim,
  type IdempotencyRecord,
  recordAnswer,
} from './idempotency-store.ts';
import { writeOrPreview } from './write-or-preview.ts';

type MutatingRequest = RouteRequest<unknown, unknown, unknown, Principal | undefined>;

/**
 * Every write goes through this: `handler: (request) => mutate(request, storage, async (tx) => ...)`.
 *
 * One transaction holds the changes of the body, the audit entry and, for a request with an `Idempotency-Key`, the
 * record of its response, so that there is never one without the other. Repeating a request with the same key returns
 * the same response and changes nothing. A dry run rolls back and records nothing. A body that throws records nothing
 * either: a refused request can be sent again with the same key. The body may be run more than once, so it must have no
 * effects outside its transaction.
 */
export async function mutate<A extends Answer>(
  request: MutatingRequest,
  storage: Storage,
  body: (tx: Transaction) => Promise<A>,
): Promise<A> {
  const { dryRun, idempotencyKey: key, signal } = request;
  const audited = async (tx: Transaction): Promise<A> => {
    const answer = await body(tx);
    // A dry run rolls this back with everything else.
    await request.recordChange(tx, answer);
    return answer;
  };
  const write = (): Promise<A> => writeOrPreview({ storage, dryRun }, audited, signal);
  if (dryRun || key === undefined) return await withTrace(request, write);
  const claim = claimOf(request, key);
  const writeOnce = (): Promise<A> =>
    storage.write(async (tx) => {
      const record = await findRecord(tx, claim);
      if (record !== undefined) {
        request.recordNothing();
        return replay<A>(record, claim);
      }
      await claimKey(tx, claim);
      const answer = await audited(tx);
      if (request.idempotency !== 'secret') await recordAnswer(tx, claim, answer);
      return answer;
    }, signal);
  return await withTrace(request, writeOnce);
}

/**
 * A create that fails with a conflict reveals that the resource exists, even to a caller that may not see it. It is
 * therefore recorded as a refusal, also for a dry run, and so is what the body forbids.
 */
async function withTrace<A>(request: MutatingRequest, write: () => Promise<A>): Promise<A> {
  try {
    return await write();
  } catch (error) {
    const category = error instanceof FleetError ? error.entry.category : undefined;
    const isTaken = category === 'conflict' && request.idempotency !== undefined;
    if (isTaken || category === 'forbidden') await request.recordRefusal();
    throw error;
  }
}

function claimOf(request: MutatingRequest, key: string): IdempotencyClaim {
  const { principal, method, path, body, time } = request;
  if (principal === undefined) throw new TypeError(`${request.operationId} has no principal to keep the key for`);
  const query = request.query as Readonly<Record<string, unknown>>;
  const requestHash = contentHash({ method, path, query, body: body ?? null });
  return { principal: keeperOf(principal), key, requestHash, time };
}

/** Credentials with a narrower scope must not see responses to other credentials of the same principal. */
function keeperOf({ kind, id, scope }: Principal): string {
  return scope === undefined ? `${kind}:${id}` : `${kind}:${id}#${contentHash(scope)}`;
}

function replay<A extends Answer>(record: IdempotencyRecord, claim: IdempotencyClaim): A {
  if (record.requestHash !== claim.requestHash) {
    throw new HttpError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another request. Use a new key for each create.',
      { faults: [{ path: 'header/idempotency-key', message: 'belongs to another request' }] },
    );
  }
  if (record.answer === undefined) {
    throw new HttpError(
      'SECRET_ALREADY_SHOWN',
      'This request was already answered, with a secret that is shown only once. If it was lost, delete the created resource and create it again with a new Idempotency-Key.',
    );
  }
  // The response of this operation to this request, read back from its own record.
  const answer = record.answer as A;
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } };
}
