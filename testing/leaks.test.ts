import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, test } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase } from './databases.ts';
import { leaksInDatabase, leaksInFiles, leaksInText } from './leaks.ts';
import { FILE_MS } from './patience.ts';

const SECRET = 'fst_p4ss"word/+äöü';
const secrets = { token: SECRET };
const signal = AbortSignal.timeout(FILE_MS);
const base64 = (text: string) => Buffer.from(text).toString('base64');

for (const { form, text } of [
  { form: 'as it is', text: `before ${SECRET} after` },
  { form: 'in hex', text: Buffer.from(SECRET).toString('hex') },
  { form: 'in a URL', text: `?token=${encodeURIComponent(SECRET)}` },
  { form: 'in JSON', text: JSON.stringify({ token: SECRET }) },
  { form: 'in base64 at offset 0', text: base64(`${SECRET}x`) },
  { form: 'in base64 at offset 1', text: base64(`a${SECRET}xy`) },
  { form: 'in base64 at offset 2', text: base64(`ab${SECRET}`) },
  { form: 'in base64url at offset 0', text: Buffer.from(`abc${SECRET}`).toString('base64url') },
]) {
  test(`a secret is found ${form}`, () => {
    const forms = leaksInText('log', text, secrets).map((leak) => leak.form);
    assert.ok(forms.includes(form), forms.join());
  });
}

test('nothing is found where nothing is', () => {
  const other = 'fst_p4ss"word/+äö';
  assert.deepEqual(leaksInText('log', `${other} ${base64(other)} ${JSON.stringify(other)}`, secrets), []);
});

test('files are found in folders, unless they are to be skipped', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-leaks-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'deep'));
  await writeFile(join(folder, 'deep', 'file'), Buffer.concat([Buffer.alloc(9), Buffer.from(SECRET)]));
  await writeFile(join(folder, 'token'), SECRET);
  const leaks = await leaksInFiles([folder], secrets, (path) => path.endsWith('token'));
  assert.deepEqual(
    leaks.map(({ where }) => where),
    [join(folder, 'deep', 'file')],
  );
});

test('a secret that chance would find is refused', () => {
  assert.throws(() => leaksInText('log', '', { pin: '1234' }), RangeError);
});

eachDatabase('leaks in tables', (fresh) => {
  it('are found, bytes too', async (t) => {
    const database = await fresh();
    t.after(() => database.dispose());
    const bytes = database.engine === 'sqlite' ? 'BLOB' : 'BYTEA';
    const up = `CREATE TABLE notes (id KEYTEXT PRIMARY KEY, note TEXT, raw ${bytes})`;
    const storage = await database.open([
      { module: 'notes', migrations: [{ number: 1, name: 'n', compatibleFrom: 0, up }] },
    ]);
    await storage.commit([sql`INSERT INTO notes (id, note) VALUES ('a', 'harmless')`], signal);
    assert.deepEqual(await leaksInDatabase(storage, secrets, signal), []);
    await storage.commit([sql`INSERT INTO notes (id, raw) VALUES ('b', ${Buffer.from(SECRET)})`], signal);
    const [leak] = await leaksInDatabase(storage, secrets, signal);
    assert.deepEqual([leak?.where, leak?.form], ['notes', 'in base64 at offset 0']);
  });
});
