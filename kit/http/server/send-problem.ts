import type { FastifyReply } from 'fastify';
import { problemHeaders, statusOf, toProblem } from '../errors/problem.ts';
import { translateError } from '../errors/translate-error.ts';
import type { HttpLog } from '../ports.ts';
import type { Exchange } from './exchange.ts';

/** Whatever was thrown becomes one answer, and one line in the log if it is our fault. */
export function sendProblem(
  thrown: unknown,
  { exchange, reply }: { exchange: Exchange; reply: FastifyReply },
  log: HttpLog,
): void {
  const error = translateError(thrown);
  exchange.error = error;
  const status = statusOf(error);
  // Around what nobody foresaw there is nothing of interest but that itself.
  const err = error.code === 'INTERNAL_ERROR' ? (error.cause ?? error) : error;
  const fields = { err, requestId: exchange.id, operation: exchange.route?.route.operationId };
  if (error.entry.category === 'internal') log.error(fields, 'request met an unexpected error; answered 500');
  else if (status >= 500) log.warn({ ...fields, status }, 'request could not be served; its client was told');
  if (reply.raw.headersSent || reply.raw.destroyed) {
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  // What is still to come of a request that was refused is not worth waiting for.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  const problem = toProblem(error, { instance: exchange.path, requestId: exchange.id });
  // As bytes: to text Fastify would add a charset, which this media type does not have.
  reply
    .code(status)
    .headers(problemHeaders(error))
    .send(Buffer.from(JSON.stringify(problem)));
}
