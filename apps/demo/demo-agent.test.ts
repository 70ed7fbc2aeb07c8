import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createLogger } from '#kit/telemetry';
import { runDemoAgent } from './demo-agent.ts';

/** Stands in for the product: records its arguments, and ends. */
const PROGRAM = `
  const { appendFileSync } = require('node:fs');
  const [file, ...args] = process.argv.slice(2);
  appendFileSync(file, JSON.stringify({ args, env: process.env }) + '\\n');
`;

describe('the agent of a demo', () => {
  it('has the environment of the platform without its settings, which an agent refuses', async (t) => {
    const { env } = await started(t, { FLEETSHIFT_DATA: '/srv/data', FLEETSHIFT_LOG_LEVEL: 'debug', TZ: 'UTC' });
    const names = Object.keys(env);
    assert.ok(names.includes('TZ'));
    assert.deepEqual(
      names.filter((name) => name.startsWith('FLEETSHIFT_')),
      [],
    );
  });

  it('logs as the platform was told to', async (t) => {
    const { args } = await started(t, {}, 'json');
    assert.equal(args[args.indexOf('--log-format') + 1], 'json');
    assert.ok(!(await started(t, {})).args.includes('--log-format'));
  });

  it('is started again when it ends, after a pause, until the demo ends', async (t) => {
    const pauses: number[] = [];
    const { starts } = await started(t, {}, undefined, async (ms, stop) => {
      pauses.push(ms);
      if (pauses.length === 3) stop();
    });
    assert.equal(starts, 3);
    assert.ok(
      pauses.every((ms) => ms > 0),
      'it does not spin',
    );
  });
});

interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly starts: number;
}

// One parameter more than three, because each is what one of the tests is about.
async function started(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
  logFormat?: 'json',
  onPause: (ms: number, stop: () => void) => Promise<void> = async (_, stop) => stop(),
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-demo-agent-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [program, file] = [join(folder, 'program.cjs'), join(folder, 'started.jsonl')];
  await writeFile(program, PROGRAM);
  const over = new AbortController();
  await runDemoAgent(
    {
      program: [process.execPath, program, file],
      socket: 'fleetlet.sock',
      words: ['directory'],
      environment,
      logFormat,
      log: createLogger({ level: 'silent' }),
      // As the real one, it rejects when the demo is stopped during the pause.
      sleep: async (ms, stop) => {
        await onPause(ms, () => over.abort());
        stop.throwIfAborted();
      },
    },
    AbortSignal.any([t.signal, over.signal]),
  );
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return { ...(JSON.parse(lines[0] ?? '') as Omit<Started, 'starts'>), starts: lines.length };
}
