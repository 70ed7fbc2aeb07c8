import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { PATIENCE_MS } from '../patience.ts';
import type { Operation } from './api-description.ts';
import type { FuzzCaller } from './fuzz-callers.ts';

/** The intended validity of a request. */
export type Manner = 'valid' | 'nearly valid' | 'hostile';

export interface FuzzRequest {
  /** The operation it was made for; the server may see another one, or none. */
  readonly operation: Operation;
  readonly manner: Manner;
  readonly caller: FuzzCaller;
  readonly method: string;
  /** Path and query, verbatim in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Only the beginning, for a stream. */
  readonly body: string;
}

/** Sends requests one after the other, on one connection as long as the server keeps it open. */
export class FuzzClient {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  readonly #answerMs: number;

  constructor(url: string, answerMs: number = PATIENCE_MS) {
    this.#url = new URL(url);
    this.#answerMs = answerMs;
  }

  send({ method, target, headers, body }: FuzzRequest, signal: AbortSignal): Promise<FuzzAnswer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        agent: this.#agent,
        host: this.#url.hostname,
        port: this.#url.port,
        method,
        path: target,
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#answerMs)]),
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        readAnswer(response).then(resolve, reject);
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A command that sends the same request. A token of ours is left out, because the server that knew it is gone. */
export function asCurl({ method, target, headers, body }: FuzzRequest, withToken: boolean): string {
  const own = Object.entries(headers).filter(([name]) => name !== 'content-length');
  const options = own.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const shown = withToken ? options.map((option) => option.replace(/Bearer [^']+/, `Bearer '"$TOKEN"'`)) : options;
  const how = method === 'HEAD' ? '--head' : `-X ${method}`;
  const command = ['curl -i --globoff --path-as-is', how, `"$URL"${quote(target)}`, ...shown].join(' ');
  if (body === undefined) return command;
  const text = body.toString();
  if (text.length < 2_000 && /^[\x20-\x7e]*$/.test(text)) return `${command} --data-binary ${quote(text)}`;
  if (text.length < 20_000) return `echo ${body.toString('base64')} | base64 -d | ${command} --data-binary @-`;
  return `${command} --data-binary @body # ${body.length} bytes that begin with ${JSON.stringify(text.slice(0, 60))}`;
}

async function readAnswer(response: IncomingMessage): Promise<FuzzAnswer> {
  const { statusCode: status = 0, headers } = response;
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const body = isStream ? await beginningOf(response) : await buffer(response);
  return { status, headers, body: body.toString() };
}

/** An event stream sends its first frame at once, and then never ends. */
async function beginningOf(response: IncomingMessage): Promise<Buffer> {
  for await (const chunk of response) {
    // Leaving the loop disconnects.
    return chunk as Buffer;
  }
  return Buffer.alloc(0);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
