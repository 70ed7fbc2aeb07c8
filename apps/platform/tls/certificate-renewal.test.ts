import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#kit/std';
import { createLogger } from '#kit/telemetry';
import { FakeClock } from '#testing/fake-clock';
import { certificateRenewal } from './certificate-renewal.ts';
import type { ServerCertificate } from './certificate-source.ts';

test('a new certificate is installed once; while there is none, the old one stays and one line says so', async () => {
  const clock = new FakeClock();
  const certificate = (chain: string): ServerCertificate => ({
    chain,
    key: new Secret(''),
    notAfter: new Date(clock.now()),
  });
  const installed: string[] = [];
  const lines: string[] = [];
  let found: () => ServerCertificate = () => certificate('first');
  const renewal = certificateRenewal({
    source: { authorityFile: undefined, current: () => found() },
    serving: certificate('first'),
    install: ({ chain }) => void installed.push(chain),
    clock,
    sleep: clock.sleep,
    log: createLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } }),
  });
  const stop = new AbortController();
  const running = renewal.run(stop.signal);
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute++) {
      await clock.untilSleeping();
      await clock.advance(60_000);
    }
  };

  await minutes(3);
  assert.deepEqual(installed, [], 'nothing is new');
  found = () => {
    throw new Error('damaged');
  };
  await minutes(3);
  assert.equal(lines.length, 1);
  found = () => certificate('second');
  await minutes(3);
  assert.deepEqual(installed, ['second']);

  await clock.untilSleeping();
  stop.abort(new Error('enough'));
  await assert.rejects(running, /enough/);
});
