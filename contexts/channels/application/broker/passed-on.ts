import type { Inbound, Outbound } from '../channel.ts';

/** A message for the next hop: everything except the acknowledgement. */
export function passedOn({ payload, target, process, key, deadline, redelivered }: Inbound): Outbound {
  return { payload, target, process, key, redelivered, ...(deadline > 0 ? { deadline } : {}) };
}
