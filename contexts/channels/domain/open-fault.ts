import type { OpenFrame } from './frame.ts';

const CHANNEL_NAME = /^[a-z0-9](?:[-a-z0-9./]*[a-z0-9])?$/;
const LONGEST_NAME = 200;
const LARGEST_TICKET = 16 * 1024;
const MOST_SHARDS = 64;
/** Far more than a window ever leaves open. */
const MOST_RANGES = 20_000;

/**
 * Checks the first frame of a stream; returns a sentence for the operators of the other end. Authorization is checked
 * elsewhere.
 */
export function openFault(open: OpenFrame): string | undefined {
  if (open.session === '') return 'the session is missing';
  if (!CHANNEL_NAME.test(open.channel)) return 'a channel name may only contain a-z, 0-9, ".", "-" and "/"';
  for (const name of ['session', 'channel', 'process', 'target', 'stream'] as const) {
    if (open[name].length > LONGEST_NAME) return `the ${name} has more than ${LONGEST_NAME} characters`;
  }
  if (open.shards > MOST_SHARDS) return `there are more than ${MOST_SHARDS} shards`;
  if (open.shard >= open.shards) return `there is no shard ${open.shard} of ${open.shards}`;
  if (open.ticket.length > LARGEST_TICKET) return `the ticket has more than ${LARGEST_TICKET} bytes`;
  if (open.mode === 'bytes') return undefined;
  // Without an incarnation, a restarted process would be taken for its predecessor, and its new messages for repetitions.
  if (open.memory.incarnation === '') return 'the incarnation is missing';
  const { incarnation, ofIncarnation = '', receivedAbove, unacknowledged } = open.memory;
  if (incarnation.length > LONGEST_NAME || ofIncarnation.length > LONGEST_NAME) return 'the incarnation is too long';
  if (receivedAbove.length > MOST_RANGES || unacknowledged.length > MOST_RANGES)
    return 'the channel memory is too large';
  return undefined;
}
