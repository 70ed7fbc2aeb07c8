import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bareEnvironment } from '#testing/bare-environment';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformProcess } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { homeFor } from '../home-for.ts';

/** Part of util-linux; gives the command it runs a terminal. */
const SCRIPT = '/usr/bin/script';
const NO_TOKEN = ['--admin-token-file', 'none'];

describe('the first start of an empty platform', () => {
  it('without a terminal leaves a one-time login in a file of its owner, and tells where', async (t) => {
    const home = await homeFor(t);
    const process = home.spawn({ flags: NO_TOKEN });
    const line = await lineWith(process, 'one-time login for the administrator created');
    const { file } = JSON.parse(line) as { file: string };
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const code = (await readFile(file, 'utf8')).trim();
    const url = await addressOf(process);
    assert.deepEqual([await redeem(url, code), await redeem(url, code)], [200, 401], 'once');
    assert.equal(existsSync(file), false, 'and is not left lying about');
    const { said } = await process.stop();
    assert.equal(said.includes(code), false, 'in no log');

    const again = home.spawn({ flags: NO_TOKEN });
    await addressOf(again);
    assert.equal((await again.stop()).said.includes('one-time'), false, 'there is one in an empty platform only');
  });

  it('with a terminal shows it there and nowhere else', { skip: withoutTerminal() }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-first-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const [data, log] = [join(folder, 'data'), join(folder, 'log')];
    const flags = `--data ${data} --listen 127.0.0.1:0 --tls-listen none --admin-token-file none --log-format json`;
    const command = `exec ${process.execPath} ${MAIN} serve ${flags} 2>${log}`;
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: bareEnvironment(folder),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    let shown = '';
    child.stdout.on('data', (text: Buffer) => void (shown += text.toString()));
    const code = await until(async () => /^ {2}([0-9A-Z]+(?:-[0-9A-Z]+)+)\s*$/m.exec(shown)?.[1], 'the code');
    const url = await until(async () => /http:\/\/127[\d.:]+/.exec(await readFile(log, 'utf8'))?.[0], 'its address');
    assert.equal(await redeem(url, code), 200);
    // Ctrl-C, as typed at a terminal.
    child.stdin.write('\u0003');
    await ended;
    assert.equal((await readFile(log, 'utf8')).includes(code), false);
    assert.equal(existsSync(join(data, 'admin-login-code')), false);
  });
});

describe('--insecure-dev-auth', () => {
  it('warns at every start, and takes everybody for the administrator', async (t) => {
    const home = await homeFor(t);
    for (const start of ['first', 'second']) {
      const process = home.spawn({ flags: ['--insecure-dev-auth', ...NO_TOKEN] });
      const url = await addressOf(process);
      const me = (await (await fetch(`${url}/v1/access/identity`)).json()) as object;
      assert.partialDeepStrictEqual(me, { kind: 'admin' });
      const { said } = await process.stop();
      assert.match(said, /"level":"warn".*insecure-dev-auth/, start);
    }
  });

  for (const flags of [
    ['--tls-listen', '0.0.0.0:0'],
    ['--listen', '0.0.0.0:0', '--insecure-http'],
  ]) {
    it(`refuses to listen beyond loopback: ${flags.join(' ')}`, async (t) => {
      const home = await homeFor(t);
      const { code, said } = await home.spawn({ flags: ['--insecure-dev-auth', ...flags] }).ended;
      assert.equal(code, 2, said);
      assert.match(said, /insecure-dev-auth/);
    });
  }
});

async function redeem(url: string, code: string): Promise<number> {
  const body = JSON.stringify({ code, kind: 'cli' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/login:redeem`, { method: 'POST', headers, body });
  await answer.body?.cancel();
  return answer.status;
}

async function addressOf(process: PlatformProcess): Promise<string> {
  const { address } = JSON.parse(await lineWith(process, '"msg":"serving"')) as { address: readonly string[] };
  return address[0] ?? assert.fail();
}

async function lineWith(process: PlatformProcess, part: string): Promise<string> {
  const find = async () =>
    process
      .said()
      .split('\n')
      .find((line) => line.includes(part));
  return await until(find, part);
}

/** Polls until `look` returns a value. */
async function until(look: () => Promise<string | undefined>, what: string): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await delay(20, undefined, { signal }).catch(() => assert.fail(`${what} does not come`));
  }
}

function withoutTerminal(): string | false {
  if (existsSync(SCRIPT) && process.platform === 'linux') return false;
  const reason = 'there is no util-linux script on this machine to make a terminal with';
  console.error(`SKIPPED, NOT PASSED: ${reason}`);
  return reason;
}
