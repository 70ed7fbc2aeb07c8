import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { DialGuard } from '#kit/transport/dial';
import type { HeadDestination } from './head-shipper.ts';

const ANSWER_MS = 10_000;

/**
 * One line of JSON for each head, in its own file. On a mount that database writers cannot write to, it is out of their reach.
 */
export function toHeadFile(path: string): HeadDestination {
  return async (head) => await appendFile(path, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true });
}

/** Anything but success is retried; redirects are not followed. */
export function toHeadReceiver(address: string, guard: DialGuard): HeadDestination {
  const url = new URL(address);
  const [request, usualPort] = url.protocol === 'https:' ? [requestHttps, 443] : [requestHttp, 80];
  const place = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usualPort };
  return async (head, signal) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const headers = { 'content-type': 'application/json' };
    const lookup = await guard.lookupFor(place, until);
    const sent = request(url, { method: 'POST', headers, agent: false, signal: until, lookup });
    sent.end(JSON.stringify(head));
    const [{ statusCode = 0 }] = (await once(sent, 'response')) as [IncomingMessage];
    // The body is not needed, and may be long.
    sent.destroy();
    if (statusCode < 200 || statusCode > 299) throw new Error(`the receiver of audit heads answered ${statusCode}`);
  };
}
