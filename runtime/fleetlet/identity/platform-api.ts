import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type DialOptions, dial } from '#kit/transport/dial';
import { FleetletError } from '../fleetlet-error.ts';

export interface PlatformApiDeps {
  readonly base: URL;
  readonly way: DialOptions;
}

export interface PlatformRequest {
  readonly path: string;
  readonly body: unknown;
  readonly bearer?: string | undefined;
}

const ANSWER_WITHIN_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * The few REST calls of a fleetlet. Throws `ENROLMENT_REFUSED` with the platform's message if it refuses, and
 * `PLATFORM_UNREACHABLE` if a retry may succeed.
 */
export async function postToPlatform(
  { base, way }: PlatformApiDeps,
  { path, body, bearer }: PlatformRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  const doing = `POST ${new URL(path, base).href}`;
  try {
    const socket = await dial(way, 'http/1.1', within);
    const payload = JSON.stringify(body);
    const request = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path,
      headers: {
        host: base.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        connection: 'close',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      signal: within,
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request.once('response', resolve).once('error', reject).end(payload);
    return judged(doing, await promise, await textOf(await promise));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof FleetletError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetletError('PLATFORM_UNREACHABLE', `${doing}: ${why}`, { cause });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function judged(doing: string, { statusCode = 0 }: IncomingMessage, text: string): unknown {
  const answer = jsonOf(text);
  if (statusCode >= 200 && statusCode < 300 && answer !== undefined) return answer;
  const said = textIn(answer, 'detail') ?? textIn(answer, 'title') ?? `it answered ${statusCode}`;
  const isLater = statusCode >= 500 || statusCode === 429 || statusCode === 408 || answer === undefined;
  if (isLater) throw new FleetletError('PLATFORM_UNREACHABLE', `${doing}: ${said}`);
  const details = { status: statusCode, code: textIn(answer, 'code') ?? '' };
  throw new FleetletError('ENROLMENT_REFUSED', said, { details });
}

/** A field of a problem document, if the answer is one. */
function textIn(answer: unknown, field: string): string | undefined {
  const value: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
