import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createAuditTrail } from '#contexts/governance/adapters';
import type { AuditEntry } from '#kit/http';
import { runAll } from '#kit/reconcile';
import { openKeyRing, Sealer } from '#kit/sealing';
import { Secret, systemClock } from '#kit/std';
import { type Engine, openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { appendEvents } from '#kit/storage/outbox';
import { createLogger } from '#kit/telemetry';
import { openIncarnation } from '#runtime/instance/incarnation';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import { leaksInDatabase, leaksInFiles } from '#testing/leaks';
import type { Command, Io } from '../../../command.ts';
import { audit } from '../audit.ts';
import { backup } from '../backup.ts';
import { keys } from '../keys.ts';
import { restore } from '../restore.ts';

const signal = new AbortController().signal;
const CLIENT_SECRET = 'a-client-secret-that-nobody-may-see';
const PASSPHRASE = 'correct horse battery staple';
const SECRETS = { clientSecret: CLIENT_SECRET, passphrase: PASSPHRASE };
const PLACE = { table: 'identity_issuers', row: ['corp'], column: 'sealed_secret' };

/** A data folder and a database, as a platform has them. */
interface Home {
  readonly data: string;
  readonly environment: Readonly<Record<string, string>>;
  open(): Promise<Storage>;
  dispose(): Promise<void>;
}

async function home(engine: Engine): Promise<Home> {
  const data = mkdtempSync(join(tmpdir(), 'fleetshift-home-'));
  const database: TestDatabase | undefined = engine === 'postgres' ? await freshDatabase(engine) : undefined;
  const url = database?.engine === 'postgres' ? database.url : undefined;
  const modules = SCHEMA_MODULES;
  return {
    data,
    environment: { FLEETSHIFT_DATA: data, FLEETSHIFT_DATABASE: url ?? 'sqlite' },
    open: () =>
      url === undefined
        ? openSqlite({ file: join(data, 'fleetshift.db'), modules }, signal)
        : openPostgres({ url, modules }, signal),
    dispose: async () => {
      await database?.dispose();
      rmSync(data, { recursive: true });
    },
  };
}

async function run(command: Command, args: readonly string[], { environment }: Pick<Home, 'environment'>) {
  const said = { out: '', err: '' };
  const io: Io = {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    errIsTerminal: false,
    environment,
  };
  const code = await command.run(args, io, signal);
  return { code, ...said };
}

function anEvent(n: number) {
  const data = { noise: randomBytes(1_000).toString('base64') };
  return { id: `e${n}`, type: 'issuer.updated', key: 'issuers/corp', time: n, data };
}

/** The state of a platform after some use: changes, refusals, events, and a stored secret. */
async function use({ data }: Home, storage: Storage): Promise<void> {
  const ring = await openKeyRing({ file: join(data, 'keys.json'), storage, clock: systemClock }, signal);
  const sealed = await new Sealer(ring).seal(new Secret(CLIENT_SECRET), PLACE, signal);
  await storage.commit(
    [
      sql`INSERT INTO identity_issuers (name, uid, url, document, sealed_secret, generation, version, create_time, update_time)
        VALUES ('corp', 'u1', 'https://id.example.com', '{}', ${sealed}, 1, 1, 1, 1)`,
      // Much more than one chunk, so that a fault in the last chunk is found while the first ones are being loaded.
      ...appendEvents(Array.from({ length: 300 }, (_, n) => anEvent(n))),
    ],
    signal,
  );
  const log = createLogger({ level: 'silent' });
  const trail = createAuditTrail({ storage, scopes: { scopeOf: async () => '/root/' }, log });
  const stop = new AbortController();
  const running = runAll(trail.runnables, stop.signal);
  for (let n = 0; n < 25; n++) {
    const entry: AuditEntry = {
      time: n,
      requestId: `r${n}`,
      operationId: 'createIssuer',
      method: 'POST',
      path: '/v1/issuers',
      params: {},
      resource: '/v1/issuers/corp',
      principal: { kind: 'admin', id: 'admin' },
      address: '::1',
      outcome: 'done',
    };
    await storage.write((tx) => trail.sink.append(tx, entry), signal);
  }
  const waiting = sql`SELECT 1 AS waiting FROM audit_arrivals LIMIT 1`;
  while ((await storage.get(waiting, signal)) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  writeFileSync(join(data, 'admin-token'), 'fst_0123456789012345678901234567\n', { mode: 0o600 });
  mkdirSync(join(data, 'tls'));
  writeFileSync(join(data, 'tls', 'ca.key'), 'the authority', { mode: 0o600 });
}

for (const from of DATABASES) {
  describe(`a used platform on ${from}`, () => {
    let source: Home;
    let storage: Storage;
    let folder: string;
    let file: string;
    let pass: string[];
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'fleetshift-backup-'));
      file = join(folder, 'backup');
      writeFileSync(join(folder, 'passphrase'), `${PASSPHRASE}\n`);
      pass = ['--passphrase-file', join(folder, 'passphrase')];
      source = await home(from);
      storage = await source.open();
      await use(source, storage);
    });
    after(async () => {
      await storage.close();
      await source.dispose();
      rmSync(folder, { recursive: true });
    });

    const into = async (engine: Engine, body: (target: Home) => Promise<void>) => {
      const target = await home(engine);
      try {
        await body(target);
      } finally {
        await target.dispose();
      }
    };

    it('is backed up while it runs, into one file that shows nothing', async () => {
      const { code, err } = await run(backup, ['--out', file, ...pass], source);
      assert.equal(code, 0);
      assert.match(err, /^wrote .*backup: \d+ rows and the keys\n$/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(folder).sort(), ['backup', 'passphrase']);
      const [, header = ''] = readFileSync(file, 'latin1').split('\n', 2);
      assert.partialDeepStrictEqual(JSON.parse(header), { about: { format: 2, engine: from } });
      assert.deepEqual(await leaksInFiles([file], SECRETS), []);
    });

    it('keeps no secret in the clear', async () => {
      assert.deepEqual(await leaksInDatabase(storage, SECRETS, signal), []);
      assert.deepEqual(await leaksInFiles([source.data], SECRETS), []);
    });

    it('does not write over a file', async () => {
      await assert.rejects(run(backup, ['--out', file, ...pass], source), { code: 'FILE_EXISTS' });
    });

    for (const to of DATABASES) {
      it(`is restored on ${to}, with its secrets and its audit`, async () => {
        await into(to, async (target) => {
          const begun = systemClock.now();
          const restored = await run(restore, [file, ...pass], target);
          assert.equal(restored.code, 0);
          for (const name of ['keys.json', 'admin-token', 'tls/ca.key']) {
            assert.deepEqual(readFileSync(join(target.data, name)), readFileSync(join(source.data, name)));
            assert.equal(statSync(join(target.data, name)).mode & 0o777, 0o600);
          }
          const verified = await run(audit, ['verify'], target);
          assert.deepEqual([verified.code, verified.out.split('\n')[0]], [0, 'intact: 25 entries were checked']);
          assert.equal(verified.out, (await run(audit, ['verify'], source)).out);
          const storage = await target.open();
          const { restoredAt = 0, accepted } = await openIncarnation(storage, { now: begun }, signal);
          assert.ok(restoredAt >= begun, 'the platform can know that it was restored');
          assert.equal(accepted, undefined, 'and is held');
          const ring = await openKeyRing({ file: join(target.data, 'keys.json'), storage, clock: systemClock }, signal);
          const row = await storage.get<{ sealed: string }>(
            sql`SELECT sealed_secret AS sealed FROM identity_issuers`,
            signal,
          );
          assert.equal((await new Sealer(ring).open(row?.sealed ?? '', PLACE, signal)).reveal(), CLIENT_SECRET);
          await storage.close();
          await assert.rejects(run(restore, [file, ...pass], target), { code: 'DATABASE_NOT_EMPTY' });
        });
      });

      it(`leaves nothing on ${to} when the backup is damaged, cut off or of somebody else`, async () => {
        await into(to, async (target) => {
          const bytes = readFileSync(file);
          const spoiled = join(folder, 'spoiled');
          writeFileSync(spoiled, bytes);
          truncateSync(spoiled, bytes.length - 1);
          await assert.rejects(run(restore, [spoiled, ...pass], target), { code: 'ARCHIVE_TRUNCATED' });
          bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
          writeFileSync(spoiled, bytes);
          await assert.rejects(run(restore, [spoiled, ...pass], target), { code: 'ARCHIVE_DAMAGED' });
          writeFileSync(join(folder, 'other'), 'another passphrase');
          const other = ['--passphrase-file', join(folder, 'other')];
          await assert.rejects(run(restore, [file, ...other], target), { code: 'WRONG_PASSPHRASE' });
          rmSync(spoiled);
          rmSync(join(folder, 'other'));
          const left = readdirSync(target.data).filter((name) => name !== 'lock.db');
          assert.deepEqual(left, []);
          await assert.rejects(run(audit, ['verify'], target), { code: 'NO_DATABASE' });
          assert.equal((await run(restore, [file, ...pass], target)).code, 0);
        });
      });
    }

    it('is not restored over other keys', async () => {
      await into(from, async (target) => {
        writeFileSync(join(target.data, 'keys.json'), 'other keys');
        await assert.rejects(run(restore, [file, ...pass], target), { code: 'FILE_EXISTS' });
        assert.equal(readFileSync(join(target.data, 'keys.json'), 'utf8'), 'other keys');
      });
    });

    it('has its keys rotated while it runs, and an older backup still restores', async () => {
      const ring = await openKeyRing({ file: join(source.data, 'keys.json'), storage, clock: systemClock }, signal);
      const { code, err } = await run(keys, ['rotate'], source);
      assert.equal(code, 0);
      assert.match(err, /; 1 values re-encrypted with it\nkept k\w+: it was retired less than an hour ago/);
      const listed = JSON.parse((await run(keys, ['list', '-o', 'json'], source)).out) as {
        items: { status: string }[];
      };
      assert.deepEqual(
        listed.items.map(({ status }) => status),
        ['retired', 'active'],
      );
      const row = await storage.get<{ sealed: string }>(
        sql`SELECT sealed_secret AS sealed FROM identity_issuers`,
        signal,
      );
      assert.equal(row?.sealed.split(':')[2], await ring.activeId(signal));
      assert.equal((await new Sealer(ring).open(row?.sealed ?? '', PLACE, signal)).reveal(), CLIENT_SECRET);
      await into(from, async (target) => assert.equal((await run(restore, [file, ...pass], target)).code, 0));
    });

    it('tells what was done to its audit log', async () => {
      const head = (await run(audit, ['verify'], source)).out.match(/^head (.+)$/m)?.[1] ?? '';
      await storage.commit([sql`UPDATE audit_log SET address = 'elsewhere' WHERE position = 7`], signal);
      const { code, out } = await run(audit, ['verify', '--expect-head', head], source);
      assert.deepEqual([code, out.split('\n')[0]], [1, 'position 7: the entry was changed']);
    });
  });
}
