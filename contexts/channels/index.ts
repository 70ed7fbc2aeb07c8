export {
  type Acceptor,
  type AcceptorDeps,
  type Admission,
  createAcceptor,
  STRANGERS_UNOPENED,
} from './application/acceptor.ts';
export { AccessCache, type AccessCacheDeps } from './application/broker/access-cache.ts';
export type { AccessResolver } from './application/broker/access-resolver.ts';
export { Broker } from './application/broker/broker.ts';
export type {
  BrokerDeps,
  BrokerLimits,
  BrokerObserver,
  BrokerStats,
  BrokerWire,
  ChannelStats,
} from './application/broker/broker-deps.ts';
export { ChannelAccess, type ChannelAccessDeps } from './application/broker/channel-access.ts';
export type { LocalAuthenticator, LocalIdentity } from './application/broker/local-authenticator.ts';
export type { ByteHandlers, ByteStream } from './application/byte-stream.ts';
export type { Channel, ChannelHandlers, Inbound, Outbound, Settled } from './application/channel.ts';
export type { DataPorts } from './application/data/data-desk.ts';
export { DataRoutes, type DataRoutesDeps, type DataTickets } from './application/data/data-routes.ts';
export type { DataWay, DirectAddress } from './application/data/data-source.ts';
export type { ControlCodec, ControlExtension } from './application/hub/control-desk.ts';
export type { ChannelHandler, MessageSource } from './application/hub/fleetlet-session.ts';
export type { HubLimits, SessionHubDeps } from './application/hub/hub-deps.ts';
export type {
  Activity,
  Authentication,
  Binding,
  FleetletDirectory,
  HubFact,
  HubObserver,
  KnownFleetlet,
  Presence,
  PresenceChange,
  ServedTarget,
} from './application/hub/ports.ts';
export type { StreamWanted, TakeStream } from './application/hub/reverse-streams.ts';
export { SessionHub } from './application/hub/session-hub.ts';
export type { SessionView } from './application/hub/session-view.ts';
export type { AcceptLink, Connect, FrameLink, LinkConnection, LinkHandlers, LinkPeer } from './application/link.ts';
export {
  type LocalChannelSpec,
  LocalClient,
  type LocalClientDeps,
  type LocalTarget,
  type TakeTunnel,
  type TargetHandlers,
} from './application/local-client.ts';
export {
  type ByteSpec,
  type ChannelSpec,
  type ConnectionClass,
  Uplink,
  type UplinkDeps,
  type UplinkState,
} from './application/uplink.ts';
export type { UplinkPace } from './application/uplink-connection.ts';
export type {
  AccessAnswerMessage,
  AccessFacts,
  AccessQuestion,
  AccessReply,
  AccessRequestMessage,
} from './domain/access-message.ts';
export type { ChannelRule } from './domain/channel-acl.ts';
export { ChannelError, type ChannelErrorCode } from './domain/channel-error.ts';
export type {
  ControlReply,
  ControlRequest,
  DataRoute,
  OpenStream,
  Serving,
  TargetClaim,
  TargetRefusal,
  Welcome,
} from './domain/control-message.ts';
export type { DataTicket } from './domain/data-ticket.ts';
export type { ChannelWindow, CloseFrame, CloseReason, Frame, OpenFrame } from './domain/frame.ts';
