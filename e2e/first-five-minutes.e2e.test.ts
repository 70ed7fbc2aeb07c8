import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '#testing/bare-environment';
import { commandBlock } from '#testing/documents';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../kit/durable/testing/eventually.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const START = join(ROOT, 'scripts/start.ts');
const ANYWHERE = ['--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0', '--fleetlet-listen', '127.0.0.1:0'];
/** The same settings and more as environment variables. The demo's agent must work without them. */
const IN_VARIABLES = {
  FLEETSHIFT_LISTEN: '127.0.0.1:0',
  FLEETSHIFT_TLS_LISTEN: '127.0.0.1:0',
  FLEETSHIFT_FLEETLET_LISTEN: '127.0.0.1:0',
  FLEETSHIFT_DATA: './.fleetshift',
};
/** A demo writes into its folder until it has ended. */
const running: (() => Promise<void>)[] = [];
/** Generous, for a busy machine. */
const WITHIN_MS = 120_000;

/** The expected output of each step of the README. A step may come too early and is then retried. */
const OUTCOMES: readonly (readonly [step: RegExp, said: RegExp])[] = [
  [/get targets/, /^us-staging +directory +demo +Active +Connected/m],
  [/deploy hello/, /^deployment\/hello configured$/m],
  [/rollout status hello$/, /at the gate approval/],
  [/cat .*eu-canary/, /<h1>Good morning from eu-canary!<\/h1>/],
  [/rollout approve/, /^deployment\/hello approved$/m],
  [/--watch/, /^production .* 9\/9 +done$/m],
  [/^rm /, /^$/],
  [/rollout status hello$/, /^us-prod-1 +degraded .* etc\/app\.conf$/m],
  [/rollback/, /^deployment\/hello rolling back to revision 1$/m],
  [/cat .*us-prod-1/, /^greeting=Hello$/m],
];

it('the first five minutes of the README go as it says, and the next start goes on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fs-tour-'));
  t.after(async () => {
    await Promise.all(running.map((stop) => stop()));
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin/fleetshift'), join(folder, 'bin/fleetshift'));
  const first = await startDemo(folder, { flags: ANYWHERE, environment: {} });
  const steps = tour();
  assert.equal(steps.length, OUTCOMES.length);
  for (const [index, step] of steps.entries()) {
    const [like = /^$/, said = /^$/] = OUTCOMES[index] ?? [];
    assert.match(step, like);
    await comesTo(folder, step, said);
  }
  first.kill('SIGKILL');
  await once(first, 'exit');

  await startDemo(folder, { flags: [], environment: IN_VARIABLES });
  await comesTo(folder, 'bin/fleetshift rollout status hello', /^hello in demo: revision 3 Succeeded/m);
  await comesTo(folder, 'bin/fleetshift get targets | grep -c Connected', /^13$/m);
});

/** `npm start`, without npm. */
async function startDemo(
  folder: string,
  { flags, environment }: { readonly flags: readonly string[]; readonly environment: NodeJS.ProcessEnv },
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [START, ...flags], {
    cwd: folder,
    env: bareEnvironment(folder, { npm_lifecycle_event: 'start', ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  running.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  await eventually(
    'the demo is ready',
    async () => {
      assert.equal(child.exitCode, null, said);
      return said.includes('The demo is ready');
    },
    WITHIN_MS,
  );
  return child;
}

async function comesTo(folder: string, step: string, wanted: RegExp): Promise<void> {
  let said = '';
  try {
    await eventually(
      step,
      async () => {
        said = await run(folder, step);
        return wanted.test(said);
      },
      WITHIN_MS,
    );
  } catch (cause) {
    throw new Error(`$ ${step}\n${said}\nis not like ${wanted.source}`, { cause });
  }
}

async function run(folder: string, command: string): Promise<string> {
  const options = { cwd: folder, env: bareEnvironment(folder), timeout: PATIENCE_MS };
  return await new Promise((resolve) => {
    execFile('bash', ['-c', `{ ${command}\n} 2>&1`], options, (_, out) => resolve(out));
  });
}

function tour(): string[] {
  return commandBlock('README.md', 'tour')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''));
}
