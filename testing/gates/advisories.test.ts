import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GATES } from '../../scripts/gates.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [, script] = GATES.advisories.command;

for (const { why, version, code } of [
  { why: 'stops at an advisory that holds', version: '1.2.0', code: 1 },
  { why: 'lets a fixed version through', version: '1.3.0', code: 0 },
]) {
  test(`the gate ${why}`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fleetshift-advisories-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'security'));
    const write = (file: string, content: object) => writeFileSync(join(folder, file), JSON.stringify(content));
    const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.3.0' }] }];
    const affected = [{ package: { ecosystem: 'npm', name: 'planted' }, ranges }];
    write('security/advisories.json', { date: '2026-01-01', advisories: [{ id: 'GHSA-planted', affected }] });
    write('package-lock.json', { packages: { '': {}, 'node_modules/planted': { version } } });
    const run = spawnSync(process.execPath, [join(ROOT, script), folder], { encoding: 'utf8' });
    assert.equal(run.status, code, run.stdout + run.stderr);
    assert.equal(run.stdout.includes(`planted@${version}: GHSA-planted`), code === 1);
  });
}
