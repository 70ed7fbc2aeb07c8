import { type Storage, sql } from '#kit/storage';

/** Expired tokens stay listed for a month, so that users can see why a token stopped working. */
const KEEP_MS = 30 * 86_400_000;

export async function purgeTokens(storage: Storage, now: number, signal: AbortSignal): Promise<number> {
  const old = sql`DELETE FROM enrolment_tokens WHERE expire_time <= ${now - KEEP_MS}`;
  return await storage.write((tx) => tx.run(old), signal);
}
