import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bareEnvironment } from '#testing/bare-environment';

const MODULE = new URL('./run-compiled.ts', import.meta.url);
const PROGRAM = `
let calls = 0;
module.exports.answer = () => { calls += 1; return 'answer ' + calls + ' ' + PROGRAM_URL.startsWith('file:'); };
`;

test('what a run has compiled is kept for this user alone, and the next run continues with it', (t) => {
  const { run, folder } = aProgram(t);
  assert.deepEqual(run('get'), { said: 'answer 1 true', isRejected: false, hadCode: false });
  const [kept = ''] = readdirSync(folder);
  assert.equal(kept, 'program-1.cjs.get.code');
  assert.equal(lstatSync(join(folder, kept)).mode & 0o777, 0o600);
  const before = readFileSync(join(folder, kept));
  assert.deepEqual(run('get'), { said: 'answer 1 true', isRejected: false, hadCode: true });
  assert.deepEqual(readFileSync(join(folder, kept)), before, 'and is not written again');
});

test('each use keeps its own', (t) => {
  const { run, folder } = aProgram(t);
  run('get');
  run('version');
  assert.deepEqual(readdirSync(folder).toSorted(), ['program-1.cjs.get.code', 'program-1.cjs.version.code']);
});

test('code that V8 does not take is replaced', (t) => {
  const { run, folder } = aProgram(t);
  const kept = join(folder, 'program-1.cjs.get.code');
  writeFileSync(kept, 'nothing that V8 knows', { mode: 0o600 });
  assert.deepEqual(run('get'), { said: 'answer 1 true', isRejected: true, hadCode: true });
  assert.deepEqual(run('get'), { said: 'answer 1 true', isRejected: false, hadCode: true });
});

for (const { why, spoil } of [
  { why: 'others can read or write it', spoil: (kept: string) => chmodSync(kept, 0o644) },
  {
    why: 'it is a link',
    spoil: (kept: string) => {
      writeFileSync(`${kept}.elsewhere`, readFileSync(kept), { mode: 0o600 });
      rmSync(kept);
      symlinkSync(`${kept}.elsewhere`, kept);
    },
  },
]) {
  test(`code is not taken when ${why}`, (t) => {
    const { run, folder } = aProgram(t);
    run('get');
    spoil(join(folder, 'program-1.cjs.get.code'));
    assert.equal(run('get').hadCode, false);
    assert.ok(lstatSync(join(folder, 'program-1.cjs.get.code')).isFile(), 'a file of our own replaces it');
  });
}

test('a folder that cannot be written, or none, costs only time', (t) => {
  const { run, folder } = aProgram(t);
  rmSync(folder, { recursive: true });
  assert.equal(run('get').said, 'answer 1 true');
  assert.equal(run('get', 'undefined').said, 'answer 1 true');
});

/** Each run is a process: code is kept when it exits. */
function aProgram(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleetshift-compiled-'));
  t.after(() => rmSync(home, { recursive: true }));
  const folder = mkdtempSync(join(home, 'code-'));
  const program = join(home, 'program-1.cjs');
  writeFileSync(program, PROGRAM);
  const script = (use: string, where: string): string => `
    import vm from 'node:vm';
    import { syncBuiltinESMExports } from 'node:module';
    const seen = {};
    const { Script } = vm;
    vm.Script = class extends Script {
      constructor(source, options) {
        super(source, options);
        seen.hadCode = options.cachedData !== undefined;
        seen.isRejected = this.cachedDataRejected === true;
      }
    };
    syncBuiltinESMExports();
    const { runCompiled } = await import(${JSON.stringify(MODULE.href)});
    const said = runCompiled(${JSON.stringify(program)}, { folder: ${where}, use: ${JSON.stringify(use)} }).answer();
    console.log(JSON.stringify({ said, ...seen }));
  `;
  const run = (
    use: string,
    where = JSON.stringify(folder),
  ): { said: string; hadCode: boolean; isRejected: boolean } => {
    const args = ['--input-type=module', '-e', script(use, where)];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: home,
      env: bareEnvironment(home),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as ReturnType<typeof run>;
  };
  return { run, folder };
}
