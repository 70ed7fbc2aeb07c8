import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, Secret, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { WebhookError } from './webhook-error.ts';

/** Files in which another program keeps and renews the certificate, like cert-manager in a mounted Secret. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface ServedCertificate {
  /** The server certificate first, then the intermediate ones. */
  readonly chain: string;
  readonly key: Secret<string>;
  readonly notAfter: number;
}

/** Reads a pair that can be served now. Throws `CERTIFICATE_UNUSABLE`, also while only one of the files is new. */
export async function readCertificate(files: CertificateFiles, now: number): Promise<ServedCertificate> {
  const { certFile, keyFile } = files;
  const [chain, key] = await Promise.all([read(certFile), read(keyFile)]);
  const certificate = parse(certFile, () => new X509Certificate(chain));
  const privateKey = parse(keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) throw unusable(`${keyFile} is not the key of ${certFile}`);
  const notAfter = certificate.validToDate.getTime();
  if (notAfter <= now) throw unusable(`${certFile} expired on ${certificate.validToDate.toISOString()}`);
  return { chain, key: new Secret(key), notAfter };
}

export interface CertificateWatchDeps {
  readonly files: CertificateFiles;
  readonly serving: ServedCertificate;
  readonly install: (certificate: ServedCertificate) => void;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Logger;
}

/**
 * DECISION: files are read every ten seconds, not watched. A mounted Secret changes by swapping a link two folders up,
 * which file systems report in different ways, and two small files are cheap to read.
 */
const LOOK_EVERY_MS = 10_000;

/** Installs renewed certificates until the signal aborts. The current one is served until there is a valid new one. */
export async function watchCertificate(deps: CertificateWatchDeps, signal: AbortSignal): Promise<void> {
  const { files, install, clock, sleep, log } = deps;
  let { serving } = deps;
  let complaint = '';
  for (;;) {
    await sleep(LOOK_EVERY_MS, signal);
    try {
      const found = await readCertificate(files, clock.now());
      complaint = '';
      if (found.chain === serving.chain && found.key.reveal() === serving.key.reveal()) continue;
      install(found);
      serving = found;
      log.info({ reason: `valid until ${new Date(found.notAfter).toISOString()}` }, 'serving a renewed certificate');
    } catch (err) {
      const message = err instanceof Error ? err.message : String(err);
      // Logged once per error: the files are read repeatedly.
      if (message !== complaint) log.error({ err }, 'certificate not renewed; serving the old one');
      complaint = message;
    }
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unusable(`${file} cannot be read`, cause);
  }
}

/** OpenSSL errors do not reveal the content. */
function parse<T>(file: string, body: () => T): T {
  try {
    return body();
  } catch (cause) {
    throw unusable(`${file} is not valid PEM without a passphrase`, cause);
  }
}

function unusable(message: string, cause?: unknown): WebhookError {
  return new WebhookError('CERTIFICATE_UNUSABLE', `read the certificate of the webhooks: ${message}`, { cause });
}
