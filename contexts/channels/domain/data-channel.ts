const PREFIX = 'data/';

/** Between local processes of two fleetlets: sources send, a reader elsewhere takes. */
export function isDataChannel(name: string): boolean {
  return name.startsWith(PREFIX) && name.length > PREFIX.length;
}

/** A fleetlet with a local process that reads a data channel. */
export interface DataReader {
  readonly fleetlet: string;
  /** Of the workspace that the fleetlet is of: `/`, or names between slashes, with one at the end. */
  readonly path: string;
}

/**
 * Where the channel of a source leads: to a reader of the source's own workspace or of one above it, and of several to the
 * nearest, and of those to the one that has read it for the longest time (they come in that order).
 *
 * DECISION: who administers a workspace is trusted with all that is below it, and nobody else is. So data only ever goes
 * up the tree, and a fleetlet that falls into wrong hands can read what its own workspace and those below it send,
 * unless somebody reads that already.
 */
export function readerFor(source: string, readers: Iterable<DataReader>): DataReader | undefined {
  let nearest: DataReader | undefined;
  for (const reader of readers) {
    if (!source.startsWith(reader.path)) continue;
    if (nearest === undefined || reader.path.length > nearest.path.length) nearest = reader;
  }
  return nearest;
}

const READ = ' (read)';

/**
 * Within a fleetlet the two ends of a data channel are two channels, since a process may have both open: the one that is
 * read has a name which no stream can ask for.
 */
export function readEndOf(channel: string): string {
  return `${channel}${READ}`;
}

/** The channel, if this is the name of an end that is read. */
export function channelOfReadEnd(name: string): string | undefined {
  return name.endsWith(READ) ? name.slice(0, -READ.length) : undefined;
}
