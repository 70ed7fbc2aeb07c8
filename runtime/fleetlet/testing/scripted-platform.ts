import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlRequest, OpenFrame } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  CHANNEL_WEB_SOCKET,
  decodeControlRequest,
  encodeControlReply,
  frameAcceptor,
} from '#contexts/channels/adapters';
import {
  issueAuthorityCertificate,
  issuePeerCertificate,
  issueServerCertificate,
  readCertificateToken,
  readSigningRequest,
} from '#kit/pki';
import { Secret } from '#kit/std';
import { type GrpcServer, listenGrpc } from '#kit/transport/grpc';
import { createWebSocketServer } from '#kit/transport/websocket';
import { AcceptingEnd } from '../../../contexts/channels/testing/accepting-end.ts';

export const FLEETLET = '01920000-0000-7000-8000-000000000001';
export const TOKEN = 'fsb_test-bootstrap-token';

const DAY_MS = 86_400_000;

/**
 * The platform's side for a fleetlet process: the two API calls, both listeners, and channels that accept everything.
 */
export class ScriptedPlatform {
  readonly end = new AcceptingEnd({ onMalformed: () => {} });
  readonly asked: ControlRequest[] = [];
  /** The callers of streams: the name in the certificate, or in the token. */
  readonly callers = new Set<string>();
  /** Serials of the client certificates of connections. */
  readonly serials = new Set<string>();
  readonly enrolments: { readonly path: string; readonly body: Record<string, unknown> }[] = [];
  /** Returned instead of a certificate. */
  refusal: { readonly status: number; readonly body: unknown } | undefined;
  /** Lifetime of certificates issued from now on. */
  certificateLifeMs = DAY_MS;
  readonly authority: string;
  readonly #ca: { readonly name: string; readonly key: KeyObject };
  readonly #serving: { readonly cert: string; readonly key: string };
  #api: Server | undefined;
  #grpc: GrpcServer | undefined;

  constructor() {
    const { privateKey } = keyPair();
    this.#ca = { name: 'test authority', key: privateKey };
    const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
    this.authority = issueAuthorityCertificate(this.#ca, from, until);
    const own = keyPair();
    const order = { name: 'localhost', names: ['localhost', '127.0.0.1'], publicKey: own.publicKey };
    const cert = issueServerCertificate(this.#ca, { ...order, notBefore: from, notAfter: until });
    this.#serving = { cert, key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    this.end.onMessage = (message, open) => this.#take(message, open);
  }

  get apiUrl(): string {
    const { port } = (this.#api?.address() ?? { port: 0 }) as AddressInfo;
    return `https://localhost:${port}`;
  }

  get grpcAddress(): string {
    const address = this.#grpc?.address;
    return address !== undefined && 'port' in address ? `localhost:${address.port}` : '';
  }

  async start(): Promise<void> {
    const accept = frameAcceptor((link) => {
      const { certificate, headers } = link.peer;
      if (certificate !== undefined) {
        const { subjectAltName, serialNumber } = new X509Certificate(certificate);
        this.callers.add(subjectAltName ?? '');
        this.serials.add(serialNumber);
      }
      const word = /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1];
      if (word !== undefined) this.#readWord(word, CHANNEL_WEB_SOCKET.path).catch(() => this.callers.add('a bad word'));
      return this.end.acceptor.accept(link);
    });
    const { cert, key } = this.#serving;
    const tls = { cert, key: new Secret(key) };
    this.#grpc = await listenGrpc({ at: { host: '127.0.0.1', port: 0 }, tls, path: CHANNEL_METHOD, accept });
    const webSockets = createWebSocketServer({ ...CHANNEL_WEB_SOCKET, accept });
    this.#api = createServer({ cert, key }, (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
        const bearer = request.headers.authorization?.replace(/^Bearer /, '');
        this.#issue(request.url ?? '', body, bearer).then(
          ({ status, body: answer }) =>
            response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      });
    });
    this.#api.on('upgrade', (request, socket, head) => {
      if (!webSockets.upgrade(request, socket, head)) socket.destroy();
    });
    this.#api.listen({ host: '127.0.0.1', port: 0 });
    await once(this.#api, 'listening');
  }

  async close(): Promise<void> {
    this.#api?.close();
    this.#api?.closeAllConnections();
    await this.#grpc?.close();
  }

  async #issue(path: string, body: Record<string, unknown>, bearer: string | undefined) {
    this.enrolments.push({ path, body });
    if (this.refusal !== undefined) return this.refusal;
    if (path === '/v1/enroll' && body['token'] !== TOKEN) {
      return { status: 401, body: { code: 'bootstrapTokenRefused', detail: 'This is no bootstrap token.' } };
    }
    if (path !== '/v1/enroll') await this.#readWord(bearer ?? '', '/v1/enroll:renew');
    const certificate = issuePeerCertificate(this.#ca, {
      name: FLEETLET,
      uri: `fleetshift://fleetlet/${FLEETLET}`,
      dnsName: `${FLEETLET}.fleetlet.fleetshift.internal`,
      publicKey: readSigningRequest(String(body['csr'])),
      notBefore: new Date(Date.now() - 1_000),
      notAfter: new Date(Date.now() + this.certificateLifeMs),
    });
    const endpoints = { grpc: this.grpcAddress, websocket: this.apiUrl.replace('https', 'wss') };
    const answer = { fleetlet: FLEETLET, name: 'edge-1', targets: [], certificate, ca: this.authority, endpoints };
    return { status: 200, body: { ...answer, serverCa: this.authority } };
  }

  async #readWord(word: string, audience: string): Promise<void> {
    const { certificate } = await readCertificateToken(word, { audience, now: Date.now() });
    this.callers.add(certificate.subjectAltName ?? '');
  }

  #take(message: Parameters<AcceptingEnd['onMessage']>[0], open: OpenFrame): void {
    message.ack();
    if (open.channel !== 'control') return;
    const request = decodeControlRequest(message.payload);
    if (request === undefined) return;
    this.asked.push(request);
    if (request.kind !== 'registerTarget') return;
    const { name } = request.claim;
    const reply = { request: request.request, kind: 'targetAccepted', target: `uid-${name}`, name } as const;
    this.end.channels.get(`${open.session} control 0`)?.trySend({ payload: encodeControlReply(reply) });
  }
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}
