import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { COMMANDS } from '../../commands.ts';
import { readConfigFile } from '../../config-file/config-file.ts';
import { runCli } from '../../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'fleetshift-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'config.yaml');

async function config(...args: string[]) {
  const told = { out: '', err: '' };
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    errIsTerminal: false,
    outIsTerminal: false,
    environment: { FLEETSHIFT_CONFIG: file },
  };
  const code = await runCli(['config', ...args], { commands: COMMANDS, io }, AbortSignal.timeout(PATIENCE_MS));
  return { code, ...told };
}

test('contexts are made, chosen, changed and forgotten, and never show their secrets', async () => {
  assert.deepEqual(await config('get-contexts'), {
    code: 0,
    out: '',
    err: 'no contexts; create one with "fleetshift login"\n',
  });
  assert.equal((await config('set-context', 'a', '--server', 'http://127.0.0.1:8700', '-w', 'web')).code, 0);
  assert.equal((await config('set-context', 'b', '--server', 'https://b.example')).code, 0);
  assert.equal((await config('current-context')).out, 'a\n', 'the first one is current, and stays so');
  assert.equal((await config('use-context', 'b')).code, 0);
  assert.equal((await config('set-context', '--current', '--workspace', 'shop')).code, 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const credentials = { kind: 'token', token: 'fst_secret' } as const;
  const known = readConfigFile(file);
  const contexts = known.contexts.map((context) => (context.name === 'b' ? { ...context, credentials } : context));
  writeFileSync(file, JSON.stringify({ ...known, contexts }));
  assert.match((await config('get-contexts')).out, /^\* +b +https:\/\/b\.example\/ +shop +by a token$/m);
  const { out } = await config('view');
  assert.match(out, /currentContext: b/);
  assert.doesNotMatch(out, /fst_secret/);

  await config('set-context', 'b', '--workspace', 'web');
  assert.deepEqual(readConfigFile(file).contexts[1]?.credentials, credentials, 'the login stays with its server');
  await config('set-context', 'b', '--server', 'https://other.example');
  assert.equal(readConfigFile(file).contexts[1]?.credentials, undefined, 'and goes to no other');

  assert.equal((await config('delete-context', 'b')).code, 0);
  assert.deepEqual(
    readConfigFile(file).contexts.map(({ name }) => name),
    ['a'],
  );
  assert.equal((await config('current-context')).code, 2);
});

for (const { args, code, err } of [
  { args: [], code: 2, err: /missing action/ },
  { args: ['use-contxt'], code: 2, err: /did you mean use-context\?/ },
  { args: ['use-context'], code: 2, err: /missing name of the context/ },
  { args: ['use-context', 'nowhere'], code: 3, err: /no context nowhere/ },
  { args: ['delete-context', 'nowhere'], code: 3, err: /no context nowhere/ },
  { args: ['set-context', 'c'], code: 2, err: /nothing to set/ },
  { args: ['set-context', 'c', '-w', 'web'], code: 2, err: /use --server/ },
  { args: ['set-context', '--server', 'https://a.example'], code: 2, err: /name the context/ },
  { args: ['set-context', 'c', '--server', 'http://a.example'], code: 2, err: /use https/ },
  { args: ['get-contexts', 'x'], code: 2, err: /unexpected/ },
]) {
  test(`config ${args.join(' ')} is refused`, async () => {
    const ended = await config(...args);
    assert.deepEqual([ended.code, ended.out], [code, '']);
    assert.match(ended.err, err);
  });
}
