export { createWebSocketServer, type WebSocketServer, type WebSocketServerOptions } from './websocket-server.ts';
export { createWebSocketTransport, type WebSocketTransportOptions } from './websocket-transport.ts';
