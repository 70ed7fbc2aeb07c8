import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareEnvironment } from '#testing/bare-environment';
import { commandBlock } from '#testing/documents';
import { homeFor } from './home-for.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);

it('the first steps of the guide do what it says', async (t) => {
  const home = await homeFor(t);
  const { url } = await home.start();
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-first-steps-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin/fleetshift'), join(folder, 'bin/fleetshift'));
  const options = {
    cwd: folder,
    env: bareEnvironment(folder, { FLEETSHIFT_SERVER: url, FLEETSHIFT_DATA: home.data }),
  };
  const { stdout: offered } = await run('bin/fleetshift', ['admin-login'], options);
  const [code = ''] = /\w{5}(-\w{5}){4}/.exec(offered) ?? [];

  const steps = commandBlock('docs/guide/getting-started.md', 'first-steps')
    .replaceAll('http://127.0.0.1:8700', url)
    .replace('CODE ', `${code} `)
    .replace('curl -N', 'curl -N --max-time 3');
  const { stdout, stderr } = await run(
    'bash',
    ['-c', `trap 'echo "ended with $?: $BASH_COMMAND" >&2' ERR\n${steps}`],
    options,
  );
  const refused = Array.from(stderr.matchAll(/^ended with .*$/gm), ([line]) => line);
  assert.deepEqual(
    refused.map(withoutArguments),
    ['ended with 5: fleetshift delete', 'ended with 28: curl -N'],
    stderr,
  );
  for (const said of [
    /^prod-1 +kubernetes +web/m,
    /"items":\[{"name":"web"/,
    /^event: target.created$/m,
    /createTarget/,
  ]) {
    assert.match(stdout, said);
  }
});

function withoutArguments(line: string): string {
  return line.split(' ').slice(0, 5).join(' ');
}
