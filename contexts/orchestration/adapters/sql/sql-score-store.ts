import { inPieces } from '#kit/std';
import { type Reader, sql } from '#kit/storage';
import type { TargetId } from '#protocol/targets';
import type { ScoreStore } from '../../application/ports.ts';
import type { ReportedScore, ReportedScores } from '../../domain/placement/placement-strategy.ts';
import { SqlStore } from './sql-store.ts';

/** Within the limit of values per statement on both engines. */
const ROWS = 1_000;

export class SqlScoreStore extends SqlStore implements ScoreStore {
  async put(target: TargetId, name: string, { value, time }: ReportedScore, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      INSERT INTO target_scores (target, name, value, time) VALUES (${target}, ${name}, ${value}, ${time})
      ON CONFLICT (target, name) DO UPDATE SET value = excluded.value, time = excluded.time`);
  }

  async of(targets: readonly TargetId[], names: readonly string[], signal: AbortSignal): Promise<ReportedScores> {
    const scores = new Map<TargetId, Map<string, ReportedScore>>();
    if (names.length === 0) return scores;
    for (const some of inPieces(targets, ROWS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(sql`
        SELECT target, name, value, time FROM target_scores
        WHERE target IN (${sql.list(some)}) AND name IN (${sql.list(names)})`);
      for (const row of rows) {
        const target = String(row['target']) as TargetId;
        const own = scores.get(target) ?? new Map<string, ReportedScore>();
        own.set(String(row['name']), { value: Number(row['value']), time: Number(row['time']) });
        scores.set(target, own);
      }
    }
    return scores;
  }
}

/** The scores of one target, ordered by name. */
export async function scoresOf(
  reader: Reader,
  target: TargetId,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly (ReportedScore & { readonly name: string })[]> {
  const later = after === undefined ? sql`1 = 1` : sql`name > ${after}`;
  const rows = await reader.all(sql`
    SELECT name, value, time FROM target_scores WHERE target = ${target} AND ${later} ORDER BY name LIMIT ${limit}`);
  return rows.map((row) => ({
    name: String(row['name']),
    value: Number(row['value']),
    time: Number(row['time']),
  }));
}
