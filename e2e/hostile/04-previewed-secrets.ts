import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '#testing/platform-process';
import { addCaller, ask, made, STAFF } from '../access/callers.ts';
import { type Attack, heldOff, type Outcome, type Stage, succeeded } from './attack.ts';
import { deployFile, withDirectoryHost } from './directory-host.ts';

const FILE = { apiVersion: 'directory.fleetshift.io/v1', kind: 'File' };
const MARKED = 'canary-marked-4711';
const SECRET = 'canary-secret-4712';
const FOREIGN = 'canary-foreign-4713';

/** A deployer, who sees `[redacted]` everywhere else, requests a deep preview with different content. */
export const previewSecrets: Attack = {
  finding: 4,
  name: 'a deployer reads secrets, and files of the host, in a deep preview',
  run: (stage) => previewEach(stage),
};

async function previewEach(stage: Stage): Promise<Outcome> {
  return await withDirectoryHost(stage, async (host) => {
    const { platform, folder } = host;
    await writeFile(join(folder, 'host.conf'), `key=${FOREIGN}\n`);
    const documents = [
      { ...FILE, path: 'app.conf', content: { $secret: `password=${MARKED}\nmode=a\n` } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: SECRET } },
      { ...FILE, path: 'open.conf', content: 'mode=a\n' },
    ];
    await deployFile(host, { name: 'web', manifest: { type: 'inline', documents }, file: 'open.conf' });
    await made(platform, '/v1/workspaces', { name: STAFF });
    const deployer = await addCaller(platform, {
      name: 'mallory',
      given: [{ role: 'deployer', on: 'workspaces/shop' }],
    });
    const others = [
      { ...FILE, path: 'app.conf', content: 'x\n' },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: 'x' } },
      { ...FILE, path: 'open.conf', content: 'mode=b\n' },
      { ...FILE, path: 'host.conf', content: 'x\n', onConflict: 'adopt' },
    ];
    const text = await preview(platform, deployer.token, { manifest: { type: 'inline', documents: others } });
    // The agent has answered, and shows the parts that are not secret.
    if (!text.includes('change app.conf') || !text.includes('mode=b')) throw new Error(`no deep preview: ${text}`);
    const seen = [MARKED, SECRET, FOREIGN].filter((canary) => text.includes(canary));
    return seen.length > 0
      ? succeeded(`the preview shows ${seen.join(', ')}`)
      : heldOff('the preview hides all of them');
  });
}

async function preview(platform: Platform, token: string, body: object): Promise<string> {
  const path = '/v1/workspaces/shop/deployments/web:preview?deep=true';
  const answer = await ask(platform, token, path, { method: 'POST', body });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`preview: ${answer.status} ${text}`);
  return text;
}
