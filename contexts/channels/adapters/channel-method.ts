import { ChannelService } from '#protocol/proto';

/** The gRPC method that carries every channel. */
export const CHANNEL_METHOD = `/${ChannelService.typeName}/${ChannelService.method.channel.name}`;
