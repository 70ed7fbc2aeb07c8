import type { CloseReason } from './frame.ts';

/** Allows one fleetlet to open one channel to one other fleetlet, until it expires. */
export interface DataTicket {
  readonly channel: string;
  /** Uids of fleetlets. */
  readonly source: string;
  readonly destination: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Long enough to try several routes. A stream that is open outlives its ticket. */
export const TICKET_MS = 5 * 60_000;
/** Allowed clock skew between two machines. */
const SKEW_MS = 30_000;

/** The use for which a ticket is presented. */
export interface TicketUse {
  readonly channel: string;
  /** The fleetlet that presents it, as its connection proves. */
  readonly source: string;
  /** The fleetlet it is presented to; `undefined` at the platform, which follows the ticket's destination. */
  readonly destination: string | undefined;
  readonly now: number;
}

export interface TicketFault {
  readonly reason: Extract<CloseReason, 'unauthenticated' | 'forbidden'>;
  readonly message: string;
}

/** Checks a ticket that the platform has signed. `unauthenticated`: a fresh ticket may be accepted. */
export function ticketFault(ticket: DataTicket, use: TicketUse): TicketFault | undefined {
  const { channel, source, destination, expires } = ticket;
  if (use.now > expires + SKEW_MS) {
    return { reason: 'unauthenticated', message: 'the ticket has expired; ask the platform for another' };
  }
  if (source !== use.source) {
    return forbidden(`the ticket was issued to fleetlet ${source}, but fleetlet ${use.source} presents it`);
  }
  if (channel !== use.channel) return forbidden(`the ticket is for the channel ${channel}, not for ${use.channel}`);
  if (use.destination !== undefined && destination !== use.destination) {
    return forbidden(`the ticket leads to fleetlet ${destination}, but this is fleetlet ${use.destination}`);
  }
  return undefined;
}

function forbidden(message: string): TicketFault {
  return { reason: 'forbidden', message };
}
