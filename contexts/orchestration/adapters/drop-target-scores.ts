import { sql, type Transaction } from '#kit/storage';

/** What was reported of a target goes with it, in the transaction that deletes it. */
export function dropTargetScores(tx: Transaction) {
  return {
    async deleted({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql`DELETE FROM target_scores WHERE target = ${uid}`);
    },
  };
}
