import { constants } from 'node:http2';
import { TransportError, type TransportErrorCode } from '../transport-error.ts';

/** The gRPC status codes used here, see https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
export const GRPC_STATUS = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The status of a failed stream, in terms that any gRPC client understands. */
const STATUS_OF_CODE: Readonly<Partial<Record<TransportErrorCode, number>>> = {
  BAD_FRAME: GRPC_STATUS.internal,
  FRAME_TOO_LARGE: GRPC_STATUS.resourceExhausted,
  UNREACHABLE: GRPC_STATUS.unavailable,
};

const CODE_OF_STATUS: Readonly<Record<number, TransportErrorCode>> = {
  [GRPC_STATUS.cancelled]: 'CONNECTION_LOST',
  [GRPC_STATUS.resourceExhausted]: 'FRAME_TOO_LARGE',
  [GRPC_STATUS.internal]: 'BAD_FRAME',
  [GRPC_STATUS.unavailable]: 'UNREACHABLE',
};

/** The same for the client, which cannot send a status: RST_STREAM codes. */
const RESET_OF_CODE: Readonly<Partial<Record<TransportErrorCode, number>>> = {
  BAD_FRAME: constants.NGHTTP2_PROTOCOL_ERROR,
  FRAME_TOO_LARGE: constants.NGHTTP2_ENHANCE_YOUR_CALM,
};

const CODE_OF_RESET: Readonly<Record<number, TransportErrorCode>> = {
  [constants.NGHTTP2_PROTOCOL_ERROR]: 'BAD_FRAME',
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: 'FRAME_TOO_LARGE',
  [constants.NGHTTP2_REFUSED_STREAM]: 'REFUSED',
};

export function statusTrailers(error: TransportError): { 'grpc-status': string; 'grpc-message': string } {
  const status = STATUS_OF_CODE[error.code] ?? GRPC_STATUS.unknown;
  // Escapes everything except printable ASCII, and the escape character itself.
  const message = error.message.toWellFormed().replaceAll(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);
  return { 'grpc-status': String(status), 'grpc-message': message };
}

/** The final status of the server; `undefined` for success. */
export function errorOfStatus(status: unknown, message: unknown): TransportError | undefined {
  if (status === String(GRPC_STATUS.ok)) return undefined;
  const said = typeof message === 'string' ? `: ${unescaped(message)}` : '';
  if (typeof status !== 'string') return new TransportError('REFUSED', 'the stream was ended without a status');
  const code = CODE_OF_STATUS[Number(status)] ?? 'REFUSED';
  return new TransportError(code, `the stream was ended with status ${status}${said}`, {
    details: { grpcStatus: Number(status) },
  });
}

export function resetOf(error: TransportError): number {
  return RESET_OF_CODE[error.code] ?? constants.NGHTTP2_CANCEL;
}

export function errorOfReset(reset: number): TransportError {
  const code = CODE_OF_RESET[reset] ?? 'CONNECTION_LOST';
  return new TransportError(code, `the other end has cut the stream, with HTTP/2 code ${reset}`);
}

function unescaped(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
