import type { Inbound, Outbound } from '../channel.ts';

/** A message as it goes to the next hop: all that it says, and not who settles it. */
export function passedOn({ payload, target, process, key, deadline, redelivered }: Inbound): Outbound {
  return { payload, target, process, key, redelivered, ...(deadline > 0 ? { deadline } : {}) };
}
