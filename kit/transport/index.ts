export type {
  AcceptStream,
  Connection,
  Headers,
  Peer,
  Stream,
  StreamHandlers,
  Transport,
  TransportServer,
} from './transport.ts';
export { FIRST_FRAME_BYTES } from './transport.ts';
export { TransportError, type TransportErrorCode } from './transport-error.ts';
