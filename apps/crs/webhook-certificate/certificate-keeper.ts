import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateFiles } from '#kit/kube/webhooks';
import type { Runnable } from '#kit/reconcile';
import type { Clock, Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { type KeptCertificateOptions, keptCertificate, tellAuthority } from './kept-certificate.ts';
import type { OwnCertificate } from './own-certificate.ts';

export interface CertificateKeeperDeps extends KeptCertificateOptions {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

export interface CertificateKeeper extends Runnable {
  readonly files: CertificateFiles;
  close(): Promise<void>;
}

/** An upgrade of the chart may take the authority out of the configurations, and admission with it. */
const LOOK_EVERY_MS = 30_000;

/** The certificate of the webhooks as files, which is how they are served, kept as the Secret says. */
export async function openCertificateKeeper(
  deps: CertificateKeeperDeps,
  signal: AbortSignal,
): Promise<CertificateKeeper> {
  const { clock, sleep, log } = deps;
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-crs-'));
  const close = async (): Promise<void> => await rm(folder, { recursive: true, force: true });
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  let served = '';
  const keep = async (stop: AbortSignal): Promise<void> => {
    const certificate = await keptCertificate(deps, clock.now(), stop);
    if (certificate['tls.crt'] !== served) await writeFiles(files, certificate);
    served = certificate['tls.crt'];
    const hasTold = await tellAuthority(deps, certificate['ca.crt'], stop);
    if (hasTold) log.info({ name: deps.configuration }, 'the webhook configurations have been told our authority');
  };
  try {
    await keep(signal);
  } catch (error) {
    await close();
    throw error;
  }
  const run = async (stop: AbortSignal): Promise<void> => {
    for (;;) {
      await sleep(LOOK_EVERY_MS, stop);
      try {
        await keep(stop);
      } catch (err) {
        stop.throwIfAborted();
        log.warn({ err }, 'could not see to the certificate of the webhooks; will try again');
      }
    }
  };
  return { name: 'webhook certificate', files, run, close };
}

/** Whoever reads them in between finds a pair that does not fit, keeps the old one and looks again. */
async function writeFiles(files: CertificateFiles, certificate: OwnCertificate): Promise<void> {
  for (const [path, content] of [
    [files.keyFile, certificate['tls.key']],
    [files.certFile, certificate['tls.crt']],
  ] as const) {
    const next = `${path}.next`;
    await writeFile(next, content, { mode: 0o600 });
    await chmod(next, 0o600);
    await rename(next, path);
  }
}
