import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Platform } from '#testing/platform-process';

export interface SlowRequest {
  /** Sends the rest of the body and returns the answer. */
  finish(): Promise<Answer>;
  /** The answer or error that comes if the rest is never sent. */
  readonly answer: Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Creates a workspace slowly: when this returns, the server is processing the request, and half of the body is still to
 * come.
 */
export async function beginSlowCreate(platform: Platform, name: string): Promise<SlowRequest> {
  const body = JSON.stringify({ name });
  const sent = request(`${platform.url}/v1/workspaces`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${platform.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      // The server answers this after it has read the headers, which proves that it did.
      expect: '100-continue',
    },
  });
  const answer = answerTo(sent);
  sent.flushHeaders();
  await Promise.race([once(sent, 'continue'), answer]);
  sent.write(body.slice(0, 5));
  return {
    answer,
    finish: async () => {
      sent.end(body.slice(5));
      return await answer;
    },
  };
}

function answerTo(sent: ClientRequest): Promise<Answer> {
  const answer = Promise.withResolvers<Answer>();
  sent.on('error', answer.reject);
  sent.on('response', (response: IncomingMessage) => {
    text(response).then((body) => answer.resolve({ status: response.statusCode ?? 0, body }), answer.reject);
  });
  // Avoids an unhandled rejection before the test awaits the answer.
  answer.promise.catch(() => {});
  return answer.promise;
}
