import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createMetrics } from '#kit/telemetry/metrics';
import { memoryLogger } from '#kit/telemetry/testing';
import { issueServerPair, type KeyPair, makeAuthority } from '#testing/clusters/certificate-authority';
import { FakeClock } from '#testing/fake-clock';
import type { Webhook } from '../webhook.ts';
import { type WebhookLimits, WebhookServer } from '../webhook-server.ts';

/** The parts of a review or a Status that the tests check. */
interface AnswerBody {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly response: { readonly uid: string; readonly allowed: boolean };
}

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  /** The serial number of the presented certificate. */
  readonly serial: string;
}

interface Cleanup {
  after(body: () => Promise<void> | void): void;
}

interface Scene {
  readonly webhooks: readonly Webhook[];
  readonly limits?: Partial<WebhookLimits>;
  readonly checkReady?: () => Promise<void>;
}

/** A server on loopback with its own certificate, which its clients trust. */
export async function webhookScene(t: Cleanup, { webhooks, limits = {}, checkReady }: Scene) {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const authority = makeAuthority();
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const write = ({ cert, key }: KeyPair): void => {
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
  };
  write(issueServerPair(authority, ['127.0.0.1']));
  const clock = new FakeClock(Date.now());
  const metrics = createMetrics();
  const { log, lines } = memoryLogger();
  const server = await WebhookServer.open(
    { host: '127.0.0.1', port: 0, certificate: files, limits },
    { webhooks, metrics, log, clock, sleep: clock.sleep, ...(checkReady ? { checkReady } : {}) },
  );
  const stop = new AbortController();
  const running = server.run(stop.signal).catch(() => undefined);
  const agent = new Agent({ ca: authority.cert, keepAlive: true, maxCachedSessions: 0 });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  t.after(async () => {
    await end();
    agent.destroy();
    rmSync(folder, { recursive: true });
  });
  const client = new WebhookClient(server.port, agent, authority.cert);
  return { client, clock, metrics, lines, files, authority, write, stop, end, port: server.port };
}

class WebhookClient {
  readonly #port: number;
  readonly #agent: Agent;
  readonly #ca: string;

  constructor(port: number, agent: Agent, ca: string) {
    this.#port = port;
    this.#agent = agent;
    this.#ca = ca;
  }

  async post(path: string, body: object | string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return await this.#send(
      path,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      text,
    );
  }

  async get(path: string, options: { readonly fresh?: boolean } = {}): Promise<Answer> {
    return await this.#send(path, { method: 'GET', ...(options.fresh ? { agent: false, ca: this.#ca } : {}) });
  }

  async #send(path: string, options: object, body = ''): Promise<Answer> {
    const sent = request({ host: '127.0.0.1', port: this.#port, path, agent: this.#agent, ...options });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return {
      status: response.statusCode ?? 0,
      body: JSON.parse(Buffer.concat(chunks).toString()) as AnswerBody,
      serial,
    };
  }
}
