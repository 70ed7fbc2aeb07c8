export type { DialCredentials, DialOptions, DialTls, Endpoint } from '../dial/dial.ts';
export type { ListenOptions, ListenTls } from '../listen/listen.ts';
export { createGrpcTransport, type GrpcTransportOptions } from './grpc-transport.ts';
export { type GrpcServer, type GrpcServerOptions, listenGrpc } from './listen-grpc.ts';
