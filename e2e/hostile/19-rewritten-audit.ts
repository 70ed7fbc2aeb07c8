import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Platform } from '#testing/platform-process';
import { toChained } from '../../contexts/governance/adapters/audit-row.ts';
import { chainEntries } from '../../contexts/governance/domain/audit-chain.ts';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { made } from '../access/callers.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';

interface Verified {
  readonly intact: boolean;
  readonly pending: number;
  readonly checked: number;
  readonly faults: readonly { readonly kind: string }[];
}

/** Uses only the database file: the hash algorithm is public. */
export const rewritesTheAudit: Attack = {
  finding: 19,
  name: 'a writer of the database removes what was done from the audit log and chains the rest again',
  // The attack writes to the file; the chain is the same on both engines.
  engine: 'sqlite',
  run: async ({ home }) => {
    const first = await home.start();
    for (const name of ['before', 'evil', 'after']) await made(first, '/v1/workspaces', { name });
    const whole = await eventually('all entries to be chained', async () => {
      const verified = await verify(first);
      return verified.pending === 0 && verified.checked >= 3 ? verified : undefined;
    });
    assert.equal(whole.intact, true);
    await first.stop();
    rewrite(join(home.data, 'fleetshift.db'));
    const again = await home.start();
    const { intact, faults } = await verify(again);
    const listed = await (await again.request('/v1/audit')).text();
    assert.ok(!listed.includes('/v1/workspaces/evil') && listed.includes('/v1/workspaces/after'), 'the setup failed');
    // Later entries must not repair the chain.
    await made(again, '/v1/workspaces', { name: 'later' });
    const later = await eventually('the next entry to be chained', async () => {
      const verified = await verify(again);
      return verified.pending === 0 ? verified : undefined;
    });
    if (intact || later.intact) return succeeded('an entry is gone, and the audit log says that it is intact');
    return heldOff(`the audit log is not intact: ${faults.map(({ kind }) => kind).join(', ')}`);
  },
};

async function verify(platform: Platform): Promise<Verified> {
  const answer = await platform.request('/v1/audit:verify', { method: 'POST', body: {} });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Verified;
}

function rewrite(file: string): void {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare('SELECT * FROM audit_log ORDER BY position').all();
    const kept = rows.filter((row) => row['resource'] !== '/v1/workspaces/evil');
    assert.equal(kept.length, rows.length - 1, 'the entry is not there');
    const start = database.prepare(`SELECT position, hash FROM audit_chain WHERE name = 'start'`).get();
    const begin = { position: Number(start?.['position']), hash: String(start?.['hash']) };
    const nothing = { token_id: null, session_id: null, client_request_id: null };
    const entries = kept.map((row) => toChained({ ...nothing, ...row }).entry);
    database.exec('BEGIN; DELETE FROM audit_days;');
    database.prepare(`DELETE FROM audit_log WHERE resource = '/v1/workspaces/evil'`).run();
    const update = database.prepare('UPDATE audit_log SET position = ?, previous_hash = ?, hash = ? WHERE id = ?');
    const chained = chainEntries(begin, entries);
    for (const { position, previousHash, hash, entry } of chained) update.run(position, previousHash, hash, entry.id);
    const head = chained.at(-1);
    assert.ok(head !== undefined);
    database.prepare(`UPDATE audit_chain SET position = ?, hash = ? WHERE name = 'head'`).run(head.position, head.hash);
    // As if there had never been a key.
    const columns = database.prepare('PRAGMA table_info(audit_chain)').all();
    if (columns.some(({ name }) => name === 'head_mac')) {
      database.exec(`UPDATE audit_chain SET head_mac = NULL; DELETE FROM instance_secrets WHERE name = 'audit-heads';`);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
