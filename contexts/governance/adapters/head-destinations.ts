import { appendFile } from 'node:fs/promises';
import type { HeadDestination } from './head-shipper.ts';

const ANSWER_MS = 10_000;

/**
 * One line of JSON for each head, in its own file. On a mount that database writers cannot write to, it is out of their reach.
 */
export function toHeadFile(path: string): HeadDestination {
  return async (head) => await appendFile(path, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true });
}

/** Anything but success is retried; redirects are not followed. */
export function toHeadReceiver(url: string): HeadDestination {
  return async (head, signal) => {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(head),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`the receiver of audit heads answered ${answer.status}`);
  };
}
