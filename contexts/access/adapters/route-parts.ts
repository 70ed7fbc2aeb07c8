import { type Answer, mutate, type Principal, type RouteRequest } from '#kit/http';
import type { Storage, Transaction } from '#kit/storage';
import type { GrantService } from '../application/grant-service.ts';
import type { PermissionSchemaService } from '../application/permission-schema-service.ts';
import type { AccessDecisions, NotFoundErrors, UnitOfWork } from '../application/ports.ts';
import type { AccessChange } from '../domain/access-change.ts';
import type { AccessIndex } from '../domain/access-index.ts';

/** Shared by the routes of this context. */
export interface RouteParts {
  readonly storage: Storage;
  readonly index: AccessIndex;
  readonly decisions: AccessDecisions;
  readonly notFound: NotFoundErrors;
  readonly grants: GrantService;
  readonly schemas: PermissionSchemaService;
  readonly unit: (tx: Transaction) => UnitOfWork;
}

interface Changed<A extends Answer> {
  readonly answer: A;
  readonly change: AccessChange;
}

/**
 * A write with read-your-writes: the index has the change before the caller has the response, so that a new grant
 * already holds for the caller's next request.
 */
export async function change<A extends Answer>(
  request: RouteRequest<unknown, unknown, unknown, Principal>,
  { storage, index, unit }: RouteParts,
  body: (unit: UnitOfWork) => Promise<Changed<A>>,
): Promise<A> {
  let became: AccessChange | undefined;
  const answer = await mutate(request, storage, async (tx) => {
    const done = await body(unit(tx));
    became = done.change;
    return done.answer;
  });
  // A dry run, or a replayed request, changed nothing.
  if (became !== undefined && !request.dryRun) index.apply(became);
  return answer;
}
