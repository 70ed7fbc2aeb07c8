import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../kit/durable/testing/eventually.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const START = join(ROOT, 'scripts/start.ts');
const ANYWHERE = ['--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0', '--fleetlet-listen', '127.0.0.1:0'];

/** What each step of the README has to come to; a step may be early, and is then tried again. */
const OUTCOMES: readonly (readonly [step: RegExp, said: RegExp])[] = [
  [/get targets/, /^us-staging +directory +demo +Active +Connected/m],
  [/deploy hello/, /^deployment\/hello configured$/m],
  [/rollout status hello$/, /at the gate approval/],
  [/cat .*eu-canary/, /<h1>Good morning from eu-canary!<\/h1>/],
  [/rollout approve/, /^deployment\/hello approved$/m],
  [/--watch/, /^production .* 9\/9 +done$/m],
  [/^rm /, /^$/],
  [/rollout status hello$/, /^us-prod-1 +degraded .* etc\/app\.conf$/m],
  [/rollback/, /^deployment\/hello goes back to revision 1$/m],
  [/cat .*us-prod-1/, /^greeting=Hello$/m],
];

it('the first five minutes of the README go as it says, and the next start goes on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fs-tour-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin/fleetshift'), join(folder, 'bin/fleetshift'));
  const first = await startDemo(t, folder);
  const steps = tour();
  assert.equal(steps.length, OUTCOMES.length);
  for (const [index, step] of steps.entries()) {
    const [like = /^$/, said = /^$/] = OUTCOMES[index] ?? [];
    assert.match(step, like);
    await comesTo(folder, step, said);
  }
  first.kill('SIGKILL');
  await once(first, 'exit');

  await startDemo(t, folder);
  await comesTo(folder, 'bin/fleetshift rollout status hello', /^hello in demo: revision 3 Succeeded/m);
  await comesTo(folder, 'bin/fleetshift get targets | grep -c Connected', /^13$/m);
});

/** `npm start`, without npm. */
async function startDemo(t: TestContext, folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [START, ...ANYWHERE], {
    cwd: folder,
    env: { ...environment(folder), npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await eventually('the demo is ready', async () => {
    assert.equal(child.exitCode, null, said);
    return said.includes('The demo is ready');
  });
  return child;
}

async function comesTo(folder: string, step: string, wanted: RegExp): Promise<void> {
  let said = '';
  try {
    await eventually(step, async () => {
      said = await run(folder, step);
      return wanted.test(said);
    });
  } catch (cause) {
    throw new Error(`$ ${step}\n${said}\nis not like ${wanted.source}`, { cause });
  }
}

async function run(folder: string, command: string): Promise<string> {
  const options = { cwd: folder, env: environment(folder), timeout: PATIENCE_MS };
  return await new Promise((resolve) => {
    execFile('bash', ['-c', `{ ${command}\n} 2>&1`], options, (_, out) => resolve(out));
  });
}

function environment(folder: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: folder };
}

function tour(): string[] {
  const [, block] = /^```sh tour\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  assert.ok(block, 'the README has a tour');
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''));
}
