import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { sleep } from '#kit/std';
import { sql } from '#kit/storage';
import { eachDatabase } from '#testing/databases';
import { AuditChainer } from '../application/audit-chainer.ts';
import type { ShippedHead } from '../application/ports.ts';
import { verifyAudit } from '../application/verify-audit.ts';
import { aChain } from '../testing/an-entry.ts';
import { memoryLogger } from '../testing/governance-api.ts';
import { insertArrival } from './audit-row.ts';
import { createAuditTrail } from './audit-trail.ts';
import { toHeadFile } from './head-destinations.ts';
import { beginKeyedChain, headKeyOf } from './head-key.ts';
import { GOVERNANCE_MIGRATIONS } from './migrations.ts';
import { SqlChainStore } from './sql-chain-store.ts';

const signal = new AbortController().signal;
const key = headKeyOf(Buffer.alloc(32, 1));
const someEntries = (count: number) => aChain(count).map(({ entry }) => entry);
const NOW = Date.UTC(2030, 0, 1);

eachDatabase('heads of the audit chain', (fresh) => {
  const keyedChain = async () => {
    const database = await fresh();
    const storage = await database.open([GOVERNANCE_MIGRATIONS]);
    const store = new SqlChainStore(storage);
    const begin = { key, id: '01987654-3210-7abc-8def-0123456789ab', now: NOW };
    assert.equal(await beginKeyedChain(storage, begin, signal), true);
    assert.equal(await beginKeyedChain(storage, begin, signal), false, 'it begins once');
    await storage.commit(someEntries(3).map(insertArrival), signal);
    await new AuditChainer(store, key).round(NOW, signal);
    const faults = async (kept: { position: number; hash: string }[] = []) =>
      (await verifyAudit(store, { key, kept }, signal)).faults.map((fault) => fault.kind);
    return { storage, store, faults };
  };

  it('are authenticated from the entry on that marks it', async () => {
    const { storage, store, faults } = await keyedChain();
    assert.deepEqual(await faults(), []);
    const operations = (await store.readChain(0, 10, signal)).map(({ entry }) => entry.operation);
    assert.ok(operations.includes('keyAuditChain'));
    await storage.close();
  });

  for (const { why, mac } of [
    { why: 'without a MAC', mac: null },
    { why: 'with that of another key', mac: headKeyOf(Buffer.alloc(32, 2)).mac({ position: 4, hash: 'x' }) },
  ]) {
    it(`that are ${why} are forged, and nothing that is chained later heals it`, async () => {
      const { storage, store, faults } = await keyedChain();
      await storage.commit([sql`UPDATE audit_chain SET head_mac = ${mac} WHERE name = 'head'`], signal);
      assert.deepEqual(await faults(), ['forged']);
      await storage.commit(someEntries(5).slice(3).map(insertArrival), signal);
      const round = await new AuditChainer(store, key).round(NOW, signal);
      assert.deepEqual([round.chained, round.isForged], [2, true]);
      assert.deepEqual(await faults(), ['forged']);
      await storage.close();
    });
  }

  it('that were not shipped before a stop are shipped at the next start, unless they are forged', async () => {
    const { storage, store } = await keyedChain();
    const shippedBy = async (heads: number): Promise<ShippedHead[]> => {
      const shipped: ShippedHead[] = [];
      const stop = new AbortController();
      let waits = 0;
      const trail = createAuditTrail({
        storage,
        scopes: { scopeOf: async () => '/root/' },
        log: memoryLogger([]),
        key,
        // After this many waits, every loop has had several rounds.
        sleep: async (_ms, signal) => {
          waits += 1;
          if (shipped.length >= heads && waits >= 50) stop.abort();
          await sleep(1, signal);
        },
        ship: async (head) => void shipped.push(head),
      });
      await Promise.all(trail.runnables.map(async (runnable) => await runnable.run(stop.signal)));
      return shipped;
    };
    const { head } = await store.ends(signal);
    const mac = key.mac(head);
    assert.deepEqual(
      (await shippedBy(1)).map(({ position, hash, mac: shipped }) => ({ position, hash, mac: shipped })),
      [{ ...head, mac }],
    );
    await storage.commit([sql`UPDATE audit_chain SET head_mac = NULL WHERE name = 'head'`], signal);
    assert.deepEqual(await shippedBy(0), []);
    await storage.close();
  });

  it('that were kept elsewhere are compared', async () => {
    const { storage, store, faults } = await keyedChain();
    const { head } = await store.ends(signal);
    assert.deepEqual(await faults([head]), []);
    assert.deepEqual(await faults([{ ...head, hash: `sha256:${'0'.repeat(64)}` }]), ['rewritten']);
    assert.deepEqual(await faults([{ ...head, position: 99 }]), ['truncated']);
    await storage.close();
  });
});

it('a file of heads has a line for each, and is for its owner alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-heads-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'heads');
  for (const position of [1, 2]) await toHeadFile(file)({ position, hash: 'h', time: 't' }, signal);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as object),
    [1, 2].map((position) => ({ position, hash: 'h', time: 't' })),
  );
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});
