import { ChannelService } from '#protocol/proto';

/** The one method that is called for every channel, as gRPC names it. */
export const CHANNEL_METHOD = `/${ChannelService.typeName}/${ChannelService.method.channel.name}`;
