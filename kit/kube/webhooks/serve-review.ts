import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#kit/telemetry';
import { readBody } from './read-body.ts';
import type { Webhook } from './webhook.ts';
import { WebhookError, type WebhookErrorCode } from './webhook-error.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

export interface ReviewDeps {
  readonly handlerMs: number;
  readonly metrics: WebhookMetrics;
  readonly log: Logger;
}

const STATUS: Readonly<Partial<Record<WebhookErrorCode, number>>> = {
  MALFORMED_REVIEW: 400,
  WEBHOOK_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HANDLER_TOO_SLOW: 504,
};

/** Handles one request. Never throws, whatever the handler does. */
export async function serveReview(webhook: Webhook, exchange: Exchange, deps: ReviewDeps): Promise<void> {
  const { request, response } = exchange;
  const begun = performance.now();
  deps.metrics.begin(webhook.path);
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the caller disconnected')));
  let status = 200;
  try {
    if (request.method !== 'POST') throw new WebhookError('METHOD_NOT_ALLOWED', 'answer a review: POST it');
    const body = await readBody(request, webhook.bodyBytes);
    send(response, status, await answer(webhook, body, { ...deps, url: request.url ?? '', gone: gone.signal }));
  } catch (error) {
    const log = deps.log.child({ path: webhook.path });
    status = request.socket.destroyed ? forget(error, log) : refuse(response, error, log);
  } finally {
    deps.metrics.end(webhook.path, status, performance.now() - begun);
  }
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Refuses with a `Status`, which the API server shows to users. */
export function refuse(response: ServerResponse, error: unknown, log: Logger): number {
  const status = error instanceof WebhookError ? (STATUS[error.code] ?? 500) : 500;
  if (status < 500) log.warn({ err: error }, 'request refused; the API server applies the failure policy');
  else log.error({ err: error }, 'request failed; the API server applies the failure policy');
  const message = error instanceof WebhookError ? error.message : 'internal error; see the log of the webhook';
  send(response, status, { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: status, message });
  return status;
}

/** The caller has disconnected. 499 is the usual status for that in metrics. */
function forget(err: unknown, log: Logger): number {
  log.debug({ err }, 'the caller disconnected before the response');
  return 499;
}

export function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

interface Call extends ReviewDeps {
  readonly url: string;
  readonly gone: AbortSignal;
}

/**
 * DECISION: a timeout gives a 504 and no review. A handler that fails denies the request, and says so; a slow one has
 * not decided anything, and the failure policy of its configuration applies.
 */
async function answer(webhook: Webhook, body: string, { url, gone, handlerMs, metrics, log }: Call): Promise<object> {
  const ms = Math.min(handlerMs, callerMs(url));
  const slow = AbortSignal.timeout(ms);
  const signal = AbortSignal.any([gone, slow]);
  const onPanic = (err: unknown): void => {
    metrics.panic();
    log.error({ err, path: webhook.path }, 'webhook failed; request denied');
  };
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([webhook.answer(body, { signal, onPanic }), over]);
  } catch (error) {
    if (!slow.aborted) throw error;
    const message = `answer a review: ${webhook.path} did not decide within ${ms} ms`;
    throw new WebhookError('HANDLER_TOO_SLOW', message, { cause: error });
  }
}

/** The API server sends its own timeout: `?timeout=10s`. */
function callerMs(url: string): number {
  const seconds = /[?&]timeout=(\d+)s(?:&|$)/.exec(url)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}
