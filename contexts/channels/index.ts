export { type Admission, createAcceptor, STRANGERS_UNOPENED } from './application/acceptor.ts';
export { AccessCache } from './application/broker/access-cache.ts';
export type { AccessResolver } from './application/broker/access-resolver.ts';
export { Broker } from './application/broker/broker.ts';
export type { BrokerObserver, BrokerStats } from './application/broker/broker-deps.ts';
export { ChannelAccess } from './application/broker/channel-access.ts';
export type { LocalAuthenticator, LocalIdentity } from './application/broker/local-authenticator.ts';
export type { Channel, Inbound, Outbound, Settled } from './application/channel.ts';
export type { DataPorts } from './application/data/data-desk.ts';
export { DataRoutes, type DataTickets } from './application/data/data-routes.ts';
export type { DirectAddress } from './application/data/data-source.ts';
export type { ChannelHandler } from './application/hub/fleetlet-session.ts';
export type {
  Activity,
  Authentication,
  Binding,
  FleetletDirectory,
  HubFact,
  HubObserver,
  Presence,
  ServedTarget,
} from './application/hub/ports.ts';
export { SessionHub } from './application/hub/session-hub.ts';
export type { AcceptLink, Connect, LinkConnection, LinkPeer } from './application/link.ts';
export { LocalClient, type LocalTarget, type TargetHandlers } from './application/local-client.ts';
export { type ConnectionClass, Uplink, type UplinkState } from './application/uplink.ts';
export type { UplinkPace } from './application/uplink-connection.ts';
export type { AccessFacts, AccessQuestion } from './domain/access-message.ts';
export type { ChannelRule } from './domain/channel-acl.ts';
export { ChannelError } from './domain/channel-error.ts';
export type { ControlReply, ControlRequest, Serving, TargetClaim, TargetRefusal } from './domain/control-message.ts';
export type { OpenFrame } from './domain/frame.ts';
