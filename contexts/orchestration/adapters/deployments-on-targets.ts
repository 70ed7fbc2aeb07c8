import { sql, type Transaction } from '#kit/storage';

/** Deletes the scores of a target, in the transaction that deletes the target. */
export function dropTargetScores(tx: Transaction) {
  return {
    async deleted({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql`DELETE FROM target_scores WHERE target = ${uid}`);
    },
  };
}
