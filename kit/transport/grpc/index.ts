export type { DialCredentials, DialOptions, DialTls, Endpoint } from '../dial/dial.ts';
export { ARRIVING, FIRST_BYTES_MS } from '../listen/arrivals.ts';
export { HANDSHAKE_WAIT_MS, HANDSHAKES } from '../listen/handshake-queue.ts';
export type { ListenOptions, ListenTls } from '../listen/listen.ts';
export { MAX_PROXY_HEADER_BYTES } from '../listen/proxy-header.ts';
export { createGrpcTransport, type GrpcTransportOptions } from './grpc-transport.ts';
export { FLOOD_LIMITS, STRANGERS_STREAMS } from './http2-settings.ts';
export { ADMIT_WITHIN_MS, type GrpcServer, type GrpcServerOptions, listenGrpc, STRANGERS } from './listen-grpc.ts';
