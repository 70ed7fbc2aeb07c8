export { decodeAccessAnswer, decodeAccessRequest, encodeAccessAnswer, encodeAccessRequest } from './access-codec.ts';
export { BROKER_WIRE } from './broker-wire.ts';
export { CHANNEL_METHOD } from './channel-method.ts';
export { CHANNEL_WEB_SOCKET } from './channel-web-socket.ts';
export { type ConnectLocalOptions, connectLocal } from './connect-local.ts';
export {
  decodeControlReply,
  decodeControlRequest,
  encodeControlReply,
  encodeControlRequest,
} from './control-codec.ts';
export { fleetletOfCertificate } from './data-certificate.ts';
export { createDataTickets, readDataTicket } from './data-tickets.ts';
export { frameAcceptor, frameConnections } from './frame-links.ts';
export { sha256 } from './sha256.ts';
export { createSocketAuthenticator } from './socket-authenticator.ts';
export { createTokenFileAuthenticator } from './token-file-authenticator.ts';
