import { TransportError } from './transport-error.ts';

export function connectionLost(cause?: unknown): TransportError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new TransportError('CONNECTION_LOST', `the connection was lost${why}`, { cause });
}
