import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

/** A test that starts a platform, prints its address, and then waits to be killed. */
const TEST = `
  const { platformHome } = await import(${JSON.stringify(import.meta.resolve('#testing/platform-process'))});
  const home = await platformHome('sqlite');
  const { url } = await home.start();
  console.log(JSON.stringify({ url, data: home.data }));
`;

it('a test that is killed leaves no platform and no folder behind', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TEST], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, data } = JSON.parse(line) as { url: string; data: string };
  assert.ok((await answers(url)) && existsSync(data));
  child.kill('SIGKILL');
  while (existsSync(data) || (await answers(url))) await delay(20, undefined, { signal: t.signal });
});

async function answers(url: string): Promise<boolean> {
  return await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
    (answer) => answer.ok,
    () => false,
  );
}
