import { parseUuid } from '#kit/std';
import { sql } from '#kit/storage';
import type { RolloutKey, Watch, WatchStore } from '../../application/ports.ts';
import { SqlStore } from './sql-store.ts';

export class SqlWatchStore extends SqlStore implements WatchStore {
  async put({ watcher, revision, gate, watched }: Watch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      INSERT INTO deployment_watches (watcher, revision, gate, watched)
      VALUES (${watcher}, ${revision}, ${gate}, ${watched})
      ON CONFLICT (watcher, revision, gate) DO UPDATE SET watched = excluded.watched`);
  }

  async drop({ deployment, revision }: RolloutKey, gate: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`
      DELETE FROM deployment_watches WHERE watcher = ${deployment} AND revision = ${revision} AND gate = ${gate}`);
  }

  async dropAll({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.tx.run(sql`DELETE FROM deployment_watches WHERE watcher = ${deployment} AND revision = ${revision}`);
  }

  async on(watched: Watch['watched'], signal: AbortSignal): Promise<readonly Watch[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT watcher, revision, gate, watched FROM deployment_watches WHERE watched = ${watched}
      ORDER BY watcher, revision, gate`);
    return rows.map((row) => ({
      watcher: parseUuid(String(row['watcher'])),
      revision: Number(row['revision']),
      gate: String(row['gate']),
      watched,
    }));
  }
}
