import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '#testing/bare-environment';
import { PATIENCE_MS } from '#testing/patience';
import { MAIN } from '#testing/product';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { type RunningPlatform, startPlatform } from './testing/processes.ts';

const GUIDES = fileURLToPath(new URL('../../docs/guide/', import.meta.url));

let folder: string;
let platform: RunningPlatform;

for (const { guide, flags, isReady } of [
  {
    guide: 'cli.md',
    flags: [],
    isReady: async () => existsSync(join(folder, '.fleetshift', 'admin-login-code')),
  },
  {
    guide: 'deployments.md',
    flags: ['--demo-fleet', '6', '--insecure-dev-auth'],
    isReady: async () => (await run('fleetshift get deployments -w demo')).includes('hello'),
  },
]) {
  test(`the tour of ${guide} goes as it says`, async (t) => {
    folder = await mkdtemp(join(tmpdir(), 'fleetshift-guide-'));
    platform = await startPlatform('product', join(folder, '.fleetshift'), flags);
    t.after(async () => {
      await platform.stop();
      await rm(folder, { recursive: true, force: true });
    });
    await writeFile(join(folder, 'fleetshift'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    await chmod(join(folder, 'fleetshift'), 0o755);
    await eventually('the platform is ready for the tour', isReady);
    const steps = stepsIn(await readFile(join(GUIDES, guide), 'utf8'));
    assert.ok(steps.length > 15, 'the guide has its steps');
    for (const { command, output } of steps) {
      const said = await run(command);
      assert.match(plain(said), patternOf(output), `$ ${command}\n${said}`);
    }
  });
}

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The console blocks: commands after `$`, continued after `>`, and their output. */
function stepsIn(guide: string): Step[] {
  const blocks = [...guide.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const lines = step.split('\n');
        const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('> '));
        const command = lines.slice(0, end).map((line, index) => (index === 0 ? line : line.slice(2)));
        return { command: command.join('\n'), output: lines.slice(end).join('\n') };
      }),
  );
}

async function run(command: string): Promise<string> {
  const PATH = `${folder}:${process.env['PATH'] ?? ''}`;
  const env = bareEnvironment(folder, { PATH, FLEETSHIFT_SERVER: platform.addresses[0] });
  const options = { cwd: folder, env, timeout: PATIENCE_MS };
  return await new Promise((resolve) => {
    execFile('bash', ['-c', `{ ${command}\n} 2>&1`], options, (_, out) => resolve(out));
  });
}

/** Removes parts of the output that differ between runs. */
function plain(text: string): string {
  const { host, hostname, port } = new URL(platform.addresses[0]);
  return text
    .replaceAll(host, '127.0.0.1:8700')
    .replaceAll(`${hostname}-${port}`, '127.0.0.1-8700')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\b[a-z2-7]{16}\b/g, 'TOKEN')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/ +/g, ' ')
    .trim();
}

/** Three dots match anything. */
function patternOf(output: string): RegExp {
  const parts = plain(output)
    .split('...')
    .map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('[^]*')}$`);
}
