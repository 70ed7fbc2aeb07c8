import type { CloseReason } from './frame.ts';

/** What the platform lets one fleetlet do: open one channel to another one, until then. */
export interface DataTicket {
  readonly channel: string;
  /** Uids of fleetlets. */
  readonly source: string;
  readonly destination: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Long enough to try several ways; a stream that is open outlives it. */
export const TICKET_MS = 5 * 60_000;
/** How far the clocks of two machines may be apart. */
const SKEW_MS = 30_000;

/** What a ticket is shown for. */
export interface TicketUse {
  readonly channel: string;
  /** Who shows it, as the connection proves. */
  readonly source: string;
  /** Who it is shown to; `undefined` at the platform, which goes where the ticket says. */
  readonly destination: string | undefined;
  readonly now: number;
}

export interface TicketFault {
  readonly reason: Extract<CloseReason, 'unauthenticated' | 'forbidden'>;
  readonly message: string;
}

/** What is wrong with a ticket that the platform has signed. `unauthenticated`: with a fresh one it may go. */
export function ticketFault(ticket: DataTicket, use: TicketUse): TicketFault | undefined {
  const { channel, source, destination, expires } = ticket;
  if (use.now > expires + SKEW_MS) {
    return { reason: 'unauthenticated', message: 'the ticket has expired; ask the platform for another' };
  }
  if (source !== use.source) {
    return forbidden(`the ticket is of fleetlet ${source}, and fleetlet ${use.source} shows it`);
  }
  if (channel !== use.channel) return forbidden(`the ticket is for the channel ${channel}, not for ${use.channel}`);
  if (use.destination !== undefined && destination !== use.destination) {
    return forbidden(`the ticket leads to fleetlet ${destination}, and this is fleetlet ${use.destination}`);
  }
  return undefined;
}

function forbidden(message: string): TicketFault {
  return { reason: 'forbidden', message };
}
