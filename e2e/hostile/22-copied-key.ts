import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigningRequest, signCertificateToken } from '#kit/pki';
import { uuidv7 } from '#kit/std';
import type { Platform } from '#testing/platform-process';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';
import { call, comesTrue, mustBe } from './hostile-fleetlet.ts';

const NAME = 'edge-1';
const RENEW = '/v1/enroll:renew';
/** The fleetlet needs a fraction of a second to reconnect with its renewed certificate. */
const SOON_MS = 8_000;

/** The thief has copied a fleetlet's folder; once the fleetlet has renewed, the copied key should be worthless. */
export const copiedKey: Attack = {
  finding: 22,
  name: 'a copy of the key of a fleetlet outlives the renewal of its certificate',
  run: async (stage) => {
    const platform = await stage.home.start();
    const { token } = await call<{ token: string }>(platform, 'POST', '/v1/workspaces/root/bootstrap-tokens', {});
    await writeFile(join(stage.folder, 'token'), token);
    const first = fleetlet(stage, platform, 'first');
    try {
      await mustBe('the fleetlet connects', async () => first.said.includes('session with the platform established'));
    } finally {
      await first.stop('SIGTERM');
    }
    const copy = await copyOf(stage);
    await mustBe('the copy works', async () => (await renewBy(copy, platform)) === 'renewed');
    // Certificates of the old authority must be renewed; the platform tells each fleetlet that connects.
    await call(platform, 'POST', '/v1/certificate-authority:rotate', { lead: '0s' });
    const second = fleetlet(stage, platform, 'second');
    try {
      await mustBe('the fleetlet renews', async () => second.said.includes('certificate renewed'));
      let answered = '';
      const isRefused = await comesTrue(async () => {
        answered = await renewBy(copy, platform);
        return answered === 'certificateSuperseded';
      }, SOON_MS);
      if (isRefused) return heldOff('the certificate of the copied key is refused: a newer one is in use');
      if (answered !== 'renewed') throw new Error(`the platform answered the renewal with ${answered}`);
      return succeeded('with the copied key a certificate for any other key can be had');
    } finally {
      await second.stop('SIGKILL');
    }
  },
};

interface Copy {
  readonly key: string;
  readonly certificate: string;
}

function fleetlet({ folder, home }: Stage, { tlsUrl }: Platform, log: string): ServerProcess {
  const flags = ['--platform', tlsUrl, '--ca-file', join(home.data, 'tls', 'ca.crt')];
  const own = ['--bootstrap-token-file', join(folder, 'token'), '--target', `${NAME}=directory`];
  return new ServerProcess({
    program: process.execPath,
    args: [MAIN, 'fleetlet', ...flags, ...own, '--data', join(folder, 'fleetlet')],
    folder,
    log: join(folder, `${log}.log`),
  });
}

async function copyOf({ folder }: Stage): Promise<Copy> {
  const read = async (name: string): Promise<string> => await readFile(join(folder, 'fleetlet', name), 'utf8');
  return { key: await read('key.pem'), certificate: await read('certificate.pem') };
}

/** `renewed`, or the code of the refusal. */
async function renewBy({ key, certificate }: Copy, platform: Platform): Promise<string> {
  const word = await signCertificateToken({
    certificate: new X509Certificate(certificate),
    key: createPrivateKey(key),
    audience: RENEW,
    id: uuidv7(),
    now: Date.now(),
  });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = { csr: createSigningRequest(privateKey, 'mallory') };
  const headers = { authorization: `Bearer ${word}` };
  const answer = await platform.request(RENEW, { method: 'POST', headers, body });
  const { code = '' } = (await answer.json()) as { code?: string };
  return answer.ok ? 'renewed' : code;
}
