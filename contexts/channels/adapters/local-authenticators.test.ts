import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { createSocketAuthenticator } from './socket-authenticator.ts';
import { createTokenFileAuthenticator } from './token-file-authenticator.ts';

async function aFile(t: TestContext, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-local-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'it');
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

const peer = (headers: Record<string, string> = {}) => ({ address: 'unix', headers, certificate: undefined });

suite('by the socket', () => {
  test('whoever could open it is known by its name, unless everybody could', async (t) => {
    const file = await aFile(t, '');
    const authenticator = createSocketAuthenticator(file);
    assert.deepEqual(await authenticator.identify(peer(), t.signal), { kind: 'known', identity: 'unix:it' });
    await chmod(file, 0o660);
    assert.equal((await authenticator.identify(peer(), t.signal)).kind, 'known');
    await chmod(file, 0o666);
    assert.equal((await authenticator.identify(peer(), t.signal)).kind, 'unknown');
  });
});

suite('by a token', () => {
  const GOOD = '0123456789abcdef';
  for (const { why, file = `# tokens\n\none ${GOOD}\ntwo ${GOOD}2\n`, authorization, want } of [
    { why: 'one that is in the file', authorization: `Bearer ${GOOD}`, want: 'token:one' },
    { why: 'the scheme in another case', authorization: `bearer ${GOOD}2`, want: 'token:two' },
    { why: 'none', want: undefined },
    { why: 'one that is not there', authorization: 'Bearer another-token-here', want: undefined },
    { why: 'the beginning of one', authorization: `Bearer ${GOOD.slice(0, -1)}`, want: undefined },
    { why: 'another scheme', authorization: `Basic ${GOOD}`, want: undefined },
    { why: 'a remark is no token', file: `#one ${GOOD}`, authorization: `Bearer ${GOOD}`, want: undefined },
    { why: 'one that is too short to be taken', file: 'one abc', authorization: 'Bearer abc', want: undefined },
    { why: 'a token without a name', file: GOOD, authorization: `Bearer ${GOOD}`, want: undefined },
  ]) {
    test(why, async (t) => {
      const authenticator = createTokenFileAuthenticator(await aFile(t, file));
      const known = await authenticator.identify(peer(authorization === undefined ? {} : { authorization }), t.signal);
      assert.equal(known.kind === 'known' ? known.identity : undefined, want);
    });
  }

  test('one that was taken out of the file is not taken any more', async (t) => {
    const file = await aFile(t, `one ${GOOD}\n`);
    const authenticator = createTokenFileAuthenticator(file);
    const shown = peer({ authorization: `Bearer ${GOOD}` });
    assert.equal((await authenticator.identify(shown, t.signal)).kind, 'known');
    await writeFile(file, '');
    assert.equal((await authenticator.identify(shown, t.signal)).kind, 'unknown');
  });
});
