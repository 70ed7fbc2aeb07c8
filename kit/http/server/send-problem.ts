import type { FastifyReply } from 'fastify';
import { problemHeaders, statusOf, toProblem } from '../errors/problem.ts';
import { translateError } from '../errors/translate-error.ts';
import type { HttpLog } from '../ports.ts';
import type { Exchange } from './exchange.ts';

/** Sends a response for any thrown error, and logs it if it is a server error. */
export function sendProblem(
  thrown: unknown,
  { exchange, reply }: { exchange: Exchange; reply: FastifyReply },
  log: HttpLog,
): void {
  const error = translateError(thrown);
  exchange.error = error;
  const status = statusOf(error);
  // The wrapper of an unexpected error adds nothing, so only the cause is logged.
  const err = error.code === 'INTERNAL_ERROR' ? (error.cause ?? error) : error;
  const fields = { err, requestId: exchange.id, operation: exchange.route?.route.operationId };
  if (error.entry.category === 'internal') log.error(fields, 'request failed with an unexpected error; answered 500');
  else if (status >= 500) log.warn({ ...fields, status }, 'request failed; error sent to the client');
  if (reply.raw.headersSent || reply.raw.destroyed) {
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  // The rest of a refused request is not read.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  const problem = toProblem(error, { instance: exchange.path, requestId: exchange.id });
  // As bytes: Fastify would add a charset to text, which this media type does not have.
  reply
    .code(status)
    .headers(problemHeaders(error))
    .send(Buffer.from(JSON.stringify(problem)));
}
