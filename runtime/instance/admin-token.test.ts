import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { loadAdminToken, rotateAdminToken } from './admin-token.ts';
import { InstanceError } from './instance-error.ts';

test('the first start makes a token that only its owner can read, and the next one finds it', (t) => {
  const file = join(temporaryFolder(t), 'admin-token');
  const first = loadAdminToken(file);
  assert.equal(first.created, true);
  assert.match(first.token.reveal(), /^fst_[A-Za-z0-9_-]{43}$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, 'utf8'), `${first.token.reveal()}\n`);

  const second = loadAdminToken(file);
  assert.equal(second.created, false);
  assert.equal(second.token.reveal(), first.token.reveal());
  assert.deepEqual(readdirSync(join(file, '..')), ['admin-token'], 'no draft is left behind');
});

test('a token of one’s own is taken, blanks around it aside', (t) => {
  const file = fileWith(t, '\n  fst_0123456789012345678901234567 \r\n');
  assert.equal(loadAdminToken(file).token.reveal(), 'fst_0123456789012345678901234567');
});

for (const { why, content, mode = 0o600 } of [
  { why: 'others may read it', content: 'fst_0123456789012345678901234567', mode: 0o640 },
  { why: 'it is empty', content: ' \n' },
  { why: 'it is too short to be safe', content: 'fst_012345678901234567890123456' },
  { why: 'it is not of our form', content: '0123456789012345678901234567890123456789' },
  { why: 'it holds two', content: 'fst_0123456789012345678901234567\nfst_0123456789012345678901234567' },
]) {
  test(`refused: ${why}`, (t) => {
    const file = fileWith(t, content, mode);
    assert.throws(
      () => loadAdminToken(file),
      (error) =>
        error instanceof InstanceError &&
        error.code === 'ADMIN_TOKEN_UNUSABLE' &&
        error.message.includes(file) &&
        !error.message.includes('0123456789'),
    );
    assert.equal(readFileSync(file, 'utf8'), content, 'and left as it was');
  });
}

test('refused: a folder that is not there', (t) => {
  const file = join(temporaryFolder(t), 'nowhere', 'admin-token');
  assert.throws(() => loadAdminToken(file), { code: 'ADMIN_TOKEN_UNUSABLE' });
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-token-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function fileWith(t: TestContext, content: string, mode = 0o600): string {
  const file = join(temporaryFolder(t), 'admin-token');
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

test('a token that was rotated holds without a restart, and the old one does not', async (t) => {
  const file = join(temporaryFolder(t), 'admin-token');
  const clock = new FakeClock();
  const running = loadAdminToken(file, clock);
  const old = running.token.reveal();
  const { ended, begun } = rotateAdminToken(file);
  assert.notEqual(ended, begun);
  assert.ok(!old.includes(ended.slice('admin-'.length)), 'the id shows a part of the token');
  await clock.advance(1_000);
  assert.notEqual(running.token.reveal(), old);
  assert.equal(running.token.reveal(), loadAdminToken(file).token.reveal());
  rmSync(file);
  await clock.advance(1_000);
  assert.notEqual(running.token.reveal(), old, 'a file that is gone brings nothing back');
});
