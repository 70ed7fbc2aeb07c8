import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { ClientError } from './client-error.ts';

export interface Sent {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** In PEM, in addition to the authorities that this machine trusts. */
  readonly authority: string | undefined;
  /** The peer of the request; a platform by default. */
  readonly peer?: Peer;
}

/** The receiver of a request, and the advice to give when it cannot be reached. */
export interface Peer {
  /** Omitted when the address is descriptive enough. */
  readonly title?: string;
  readonly refused: string;
  readonly unknownHost: string;
  readonly untrusted: string;
}

const PLATFORM: Peer = {
  refused: 'start a platform with "fleetshift serve", or name one with --server',
  unknownHost: 'name the platform with --server',
  untrusted: 'pass that authority with --ca-file',
};

export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Longer than the default request timeout of a platform. */
const ANSWER_MS = 70_000;
/** Much larger than the largest page. */
const ANSWER_BYTES = 64 * 1024 * 1024;

/** Sends one request and reads the whole response. */
export async function sendRequest(sent: Sent, signal: AbortSignal): Promise<Received> {
  const late = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await begin(sent, AbortSignal.any([signal, late]));
    return await receive(response, sent.url);
  } catch (error) {
    if (error instanceof ClientError || signal.aborted) throw error;
    throw explained(sent, late.aborted ? new Error(`no response within ${ANSWER_MS / 1_000} s`) : error);
  }
}

export interface OpenedStream {
  readonly contentType: string;
  /**
   * The text of the response as it arrives, until it ends. Throws when the connection breaks or is silent for longer
   * than a heartbeat can be late.
   */
  readonly chunks: AsyncIterable<string>;
}

/** Sends one request with a streaming response. A response that is not a stream is returned whole. */
export async function openStream(sent: Sent, signal: AbortSignal): Promise<OpenedStream | Received> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  try {
    const response = await begin(sent, AbortSignal.any([signal, late.signal]));
    const contentType = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || !contentType.startsWith('text/event-stream')) {
      return await receive(response, sent.url);
    }
    return { contentType, chunks: follow(response, { sent, signal }) };
  } catch (error) {
    if (error instanceof ClientError || signal.aborted) throw error;
    throw explained(sent, late.signal.aborted ? new Error(`no response within ${ANSWER_MS / 1_000} s`) : error);
  } finally {
    clearTimeout(timer);
  }
}

/** Three heartbeats of a platform. */
const SILENCE_MS = 45_000;

async function* follow(response: IncomingMessage, { sent, signal }: { sent: Sent; signal: AbortSignal }) {
  response.setTimeout(SILENCE_MS, () => response.destroy(new Error(`silent for ${SILENCE_MS / 1_000} s`)));
  try {
    for await (const chunk of response.setEncoding('utf8')) yield String(chunk);
  } catch (error) {
    if (signal.aborted) throw error;
    throw explained(sent, error);
  }
}

/**
 * DECISION: not `fetch`. It cannot use a custom certificate authority without the undici package, and it reports every
 * connection error as `fetch failed`.
 */
async function begin({ url, method, headers, body, authority }: Sent, signal: AbortSignal): Promise<IncomingMessage> {
  const options = { method, headers, signal, agent: false } as const;
  const request =
    url.protocol === 'https:'
      ? requestHttps(url, options, authority)
      : process.getBuiltinModule('node:http').request(url, options);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/**
 * DECISION: taken from the process, not imported. An import evaluates every export of the module; those of `node:http`
 * load undici, which takes longer than the rest of a small command. `node:https` is loaded only for https platforms.
 */
function requestHttps(url: URL, options: RequestOptions, authority: string | undefined): ClientRequest {
  const { getCACertificates } = process.getBuiltinModule('node:tls');
  const ca = [...getCACertificates('default'), ...(authority ? [authority] : [])];
  return process.getBuiltinModule('node:https').request(url, { ...options, ca });
}

async function receive(response: IncomingMessage, url: URL): Promise<Received> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length <= ANSWER_BYTES) continue;
    throw new ClientError('ANSWER_NOT_UNDERSTOOD', `${url.origin} answered with more than ${ANSWER_BYTES} bytes`);
  }
  return { status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', text };
}

const UNKNOWN_AUTHORITY = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const NOT_TRUSTED: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name; use a name that is in the certificate',
  CERT_HAS_EXPIRED: 'its certificate has expired and has to be renewed there',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks of both machines',
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its host name cannot be resolved right now',
  ECONNRESET: 'connection reset; is the server using http instead of https, or the other way round?',
  EPROTO: 'the server does not speak TLS; is it http instead of https?',
};

function explained({ url, peer = PLATFORM }: Sent, cause: unknown): ClientError {
  const where = peer.title === undefined ? url.origin : `${peer.title} at ${url.origin}`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const distrust = distrustOf(code, peer);
  if (distrust !== undefined) return new ClientError('SERVER_NOT_TRUSTED', `${where}: ${distrust}`, { cause });
  const why = troubleOf(code, peer) ?? (cause instanceof Error ? cause.message : String(cause));
  return new ClientError('SERVER_UNREACHABLE', `${where}: ${why}`, { cause });
}

function distrustOf(code: string, { untrusted }: Peer): string | undefined {
  if (!UNKNOWN_AUTHORITY.includes(code)) return NOT_TRUSTED[code];
  return `its certificate is signed by an authority that this machine does not trust; ${untrusted}`;
}

function troubleOf(code: string, { refused, unknownHost }: Peer): string | undefined {
  if (code === 'ECONNREFUSED') return `connection refused; ${refused}`;
  if (code === 'ENOTFOUND') return `unknown host; ${unknownHost}`;
  return UNREACHABLE[code];
}
