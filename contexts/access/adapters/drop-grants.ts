import { type Uuid, uuidv7 } from '#kit/std';
import type { Transaction } from '#kit/storage';
import type { AdminCredentials } from '../application/ports.ts';
import { dropGrantsOn, dropGrantsTo } from '../application/remove-grants.ts';
import type { AccessIndex } from '../domain/access-index.ts';
import type { Grant } from '../domain/grant.ts';
import type { Subject } from '../domain/subject.ts';
import { type UnitOfWorkDeps, unitOfWork } from './sql-unit-of-work.ts';

export interface GrantDropperDeps extends Pick<UnitOfWorkDeps, 'resourcesIn'> {
  readonly index: AccessIndex;
  readonly admins: AdminCredentials;
  /** For uids of events. */
  readonly newUid?: () => Uuid;
}

/** Deletes the grants of a resource or subject within the transaction that deletes it. Returns the dropped grants. */
export interface GrantDropper {
  /** `uid` of the workspace or target; `workspace` is the workspace itself, or the one that contains the target. */
  dropGrantsOf(
    tx: Transaction,
    dropped: { readonly uid: string; readonly workspace: string; readonly now: number },
    signal: AbortSignal,
  ): Promise<readonly Grant[]>;
  /** Throws `LAST_ADMIN` when the subject is the last admin of the instance. */
  dropGrantsTo(
    tx: Transaction,
    dropped: { readonly subject: Subject; readonly now: number },
    signal: AbortSignal,
  ): Promise<readonly Grant[]>;
  /**
   * To be called after the commit: removes the grants from this process's index. Others learn of it from the event log.
   */
  forget(dropped: readonly Grant[]): void;
}

export function grantDropper({ index, admins, resourcesIn, newUid = uuidv7 }: GrantDropperDeps): GrantDropper {
  const unitOf = (tx: Transaction) => unitOfWork(tx, { newUid, resourcesIn });
  return {
    dropGrantsOf: (tx, dropped, signal) => dropGrantsOn(unitOf(tx), dropped, signal),
    dropGrantsTo: (tx, dropped, signal) => dropGrantsTo({ unit: unitOf(tx), admins }, dropped, signal),
    forget: (dropped) => dropped.forEach(({ uid }) => index.apply({ kind: 'grantDeleted', uid })),
  };
}
