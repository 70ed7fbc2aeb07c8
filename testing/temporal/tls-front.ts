import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { issueAuthorityCertificate, issuePeerCertificate } from '#kit/pki';

/** The only name in the front's certificate. */
export const FRONT_NAME = 'temporal.test';
const UNAUTHENTICATED = '16';
const HOUR = 3_600_000;

/** A Temporal server as a provider offers it: over TLS, for clients with a certificate, and with an API key. */
export interface TlsFront {
  /** `127.0.0.1:port`, which is not the name in its certificate. */
  readonly address: string;
  /** PEM files for a client. */
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string; readonly apiKey: string };
  /** Methods that were called with the key, and the number of calls without it. */
  readonly called: ReadonlySet<string>;
  readonly refused: () => number;
  close(): void;
}

/** Passes calls on to a server without TLS. Writes its files into the folder. */
export async function startTlsFront(server: string, folder: string, apiKey: string): Promise<TlsFront> {
  const made = makeCertificates();
  const files = { ca: join(folder, 'ca.crt'), cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const keyFile = join(folder, 'api-key');
  await Promise.all([
    writeFile(files.ca, made.ca),
    writeFile(files.cert, made.client.cert),
    writeFile(files.key, made.client.key),
    writeFile(keyFile, `${apiKey}\n`),
  ]);
  const called = new Set<string>();
  let refused = 0;
  const behind = connect(`http://${server}`);
  behind.on('error', () => {});
  const front = createSecureServer({ ...made.server, ca: made.ca, requestCert: true, rejectUnauthorized: true });
  front.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    if (headers.authorization !== `Bearer ${apiKey}`) {
      refused += 1;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': UNAUTHENTICATED });
      return void stream.end();
    }
    called.add(String(headers[':path']));
    passOn(stream, headers, behind);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    files: { ...files, apiKey: keyFile },
    called,
    refused: () => refused,
    close: () => end(front, behind),
  };
}

function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, behind: ClientHttp2Session): void {
  const { ':authority': _, ':scheme': __, ...rest } = headers as Record<string, string>;
  const call = behind.request(rest);
  call.on('error', () => stream.destroy());
  stream.on('close', () => call.close());
  let trailers: Record<string, string> = {};
  call.on('trailers', (received) => {
    trailers = withoutPseudo(received);
  });
  call.on('response', (answer) => {
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.respond({ ':status': answer[':status'] ?? 200, ...withoutPseudo(answer) }, { waitForTrailers: true });
    call.pipe(stream);
  });
  stream.pipe(call);
}

function withoutPseudo(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers as Record<string, string>).filter(([name]) => !name.startsWith(':')),
  );
}

function end(front: Http2SecureServer, behind: ClientHttp2Session): void {
  front.close();
  behind.destroy();
}

interface Certified {
  readonly cert: string;
  readonly key: string;
}

function makeCertificates(): { readonly ca: string; readonly server: Certified; readonly client: Certified } {
  const [notBefore, notAfter] = [new Date(Date.now() - HOUR), new Date(Date.now() + 24 * HOUR)];
  const authority = { name: 'a test', key: newKey().privateKey };
  const issued = (dnsName: string): Certified => {
    const { publicKey, privateKey } = newKey();
    const order = { name: dnsName, publicKey, notBefore, notAfter, uri: `spiffe://${dnsName}/`, dnsName };
    return { cert: issuePeerCertificate(authority, order), key: pemOf(privateKey) };
  };
  const ca = issueAuthorityCertificate(authority, notBefore, notAfter);
  return { ca, server: issued(FRONT_NAME), client: issued('platform.test') };
}

function newKey() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
