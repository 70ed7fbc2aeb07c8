import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createLogger } from '#kit/telemetry';
import { runDemoAgent } from './demo-agent.ts';

/** Stands in for the product: records its arguments, and ends. */
const PROGRAM = `
  const { writeFileSync } = require('node:fs');
  const [file, ...args] = process.argv.slice(2);
  writeFileSync(file, JSON.stringify({ args, env: process.env }));
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
});

interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function started(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
  logFormat?: 'json',
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-demo-agent-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [program, file] = [join(folder, 'program.cjs'), join(folder, 'started.json')];
  await writeFile(program, PROGRAM);
  await runDemoAgent(
    {
      program: [process.execPath, program, file],
      socket: 'fleetlet.sock',
      words: ['directory'],
      environment,
      logFormat,
      log: createLogger({ level: 'silent' }),
    },
    t.signal,
  );
  return JSON.parse(await readFile(file, 'utf8')) as Started;
}
