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

/** A chart upgrade may remove the CA from the configurations, which breaks admission. */
const LOOK_EVERY_MS = 30_000;

/** Keeps the webhook certificate as files, from which it is served, in sync with the Secret. */
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
    if (hasTold) log.info({ name: deps.configuration }, 'CA written to the webhook configurations');
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
        log.warn({ err }, 'webhook certificate update failed; retrying');
      }
    }
  };
  return { name: 'webhook certificate', files, run, close };
}

/** A reader that sees a mismatched pair in between keeps the old one and reads again. */
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
