import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { dropOldCompiledCode, testEnvironment } from './environment.ts';

it('test processes get nothing of the caller but what is allowed', () => {
  const { PATH: _path, ...rest } = testEnvironment({
    PATH: '/usr/bin',
    KUBECONFIG: '/nowhere/kubeconfig',
    FLEETSHIFT_DATA: '/nowhere/data',
    FLEETSHIFT_TEST_SEED: '7',
    TZ: 'Asia/Tokyo',
  });
  assert.equal(rest['KUBECONFIG'], undefined);
  assert.equal(rest['FLEETSHIFT_DATA'], undefined);
  assert.equal(rest['FLEETSHIFT_TEST_SEED'], '7');
  assert.equal(rest['TZ'], 'Asia/Tokyo');
});

it('compiled code that has not been written for days is dropped', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-compiled-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'v26'));
  for (const name of ['old', 'new']) writeFileSync(join(folder, 'v26', name), name);
  const now = Date.now();
  const threeDaysAgo = new Date(now - 3 * 86_400_000);
  utimesSync(join(folder, 'v26', 'old'), threeDaysAgo, threeDaysAgo);
  dropOldCompiledCode(folder, now);
  assert.deepEqual(readdirSync(join(folder, 'v26')), ['new']);
  dropOldCompiledCode(join(folder, 'nowhere'), now);
});
