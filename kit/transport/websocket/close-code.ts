import { TransportError, type TransportErrorCode } from '../transport-error.ts';

/** See RFC 6455, section 7.4.1. */
export const CLOSE_CODE = {
  normal: 1000,
  protocolError: 1002,
  notBinary: 1003,
  noStatus: 1005,
  /** There was no close frame: the connection is gone. */
  abnormal: 1006,
  badText: 1007,
  policy: 1008,
  tooLarge: 1009,
  internal: 1011,
} as const;

const ERROR_OF_CLOSE: Readonly<Record<number, TransportErrorCode>> = {
  [CLOSE_CODE.protocolError]: 'BAD_FRAME',
  [CLOSE_CODE.notBinary]: 'BAD_FRAME',
  [CLOSE_CODE.badText]: 'BAD_FRAME',
  [CLOSE_CODE.policy]: 'REFUSED',
  [CLOSE_CODE.tooLarge]: 'FRAME_TOO_LARGE',
  [CLOSE_CODE.internal]: 'REFUSED',
};

const CLOSE_OF_ERROR: Readonly<Partial<Record<TransportErrorCode, number>>> = {
  BAD_FRAME: CLOSE_CODE.notBinary,
  FRAME_TOO_LARGE: CLOSE_CODE.tooLarge,
};

/** The reason with which the other end closed; `undefined` for a normal close. */
export function errorOfClose(code: number, reason: string): TransportError | undefined {
  if (code === CLOSE_CODE.normal || code === CLOSE_CODE.noStatus) return undefined;
  const said = reason === '' ? '' : `: ${reason}`;
  const message = `the WebSocket was closed with code ${code}${said}`;
  return new TransportError(ERROR_OF_CLOSE[code] ?? 'CONNECTION_LOST', message);
}

export function closeOf(error: TransportError): number {
  return CLOSE_OF_ERROR[error.code] ?? CLOSE_CODE.internal;
}
