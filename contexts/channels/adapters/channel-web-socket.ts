/** The path of channels over WebSockets, and the subprotocol that both ends have to name. */
export const CHANNEL_WEB_SOCKET = { path: '/v1/fleetlet', protocol: 'fleetshift.v1' } as const;
