const PREFIX = 'data/';

/** A data channel connects local processes of two fleetlets: sources send, a reader elsewhere receives. */
export function isDataChannel(name: string): boolean {
  return name.startsWith(PREFIX) && name.length > PREFIX.length;
}

/** A fleetlet with a local process that reads a data channel. */
export interface DataReader {
  readonly fleetlet: string;
  /** Path of the fleetlet's workspace: `/`, or names between slashes, with a trailing slash. */
  readonly path: string;
}

/**
 * Selects the reader for a source: a reader in the source's own workspace or in one above it. The nearest wins; among equals
 * the one that has read the channel longest (`readers` come in that order).
 *
 * DECISION: the administrators of a workspace are trusted with everything below it, and with nothing else. So data only ever
 * flows up the tree. A compromised fleetlet can read the data of its own workspace and of those below it, unless another
 * fleetlet reads the channel already.
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
 * Within a fleetlet the two ends of a data channel are two channels, since one process may open both. The read end has a name
 * that no stream can ask for.
 */
export function readEndOf(channel: string): string {
  return `${channel}${READ}`;
}

/** The channel, if this is the name of a read end. */
export function channelOfReadEnd(name: string): string | undefined {
  return name.endsWith(READ) ? name.slice(0, -READ.length) : undefined;
}
