import type { BrokerWire } from '../application/broker/broker-deps.ts';
import { decodeAccessRequest, encodeAccessAnswer } from './access-codec.ts';
import { decodeControlReply, decodeControlRequest, encodeControlReply, encodeControlRequest } from './control-codec.ts';

/** The protocol's codecs for the broker. */
export const BROKER_WIRE: BrokerWire = {
  encodeControlRequest,
  decodeControlRequest,
  encodeControlReply,
  decodeControlReply,
  decodeAccessRequest,
  encodeAccessAnswer,
};
