import type { ChainPoint } from '../domain/audit-chain.ts';
import { type ChainFault, ChainVerifier } from '../domain/verify-chain.ts';
import type { ChainEnds, ChainReader, HeadKey } from './ports.ts';

export interface VerifyRequest {
  /** Starts after this position, whose entry is trusted; default: the beginning. */
  readonly after?: number | undefined;
  /** Checks at most this many entries. */
  readonly limit?: number | undefined;
  /** A point of the chain that the caller kept elsewhere. */
  readonly expected?: ChainPoint | undefined;
  /** Further points. */
  readonly kept?: readonly ChainPoint[];
  /** The head must be authenticated with this key. */
  readonly key?: HeadKey | undefined;
}

export interface Verification {
  readonly checked: number;
  readonly pending: number;
  readonly start: ChainPoint;
  readonly head: ChainPoint;
  readonly faults: readonly ChainFault[];
  /** Where to continue; `undefined` when everything was checked. */
  readonly next: number | undefined;
}

/** A few milliseconds of hashing. */
const BATCH = 200;

/** Verifies that the chain has not been changed. Entries appended meanwhile are left for the next verification. */
export async function verifyAudit(
  reader: ChainReader,
  request: VerifyRequest,
  signal: AbortSignal,
): Promise<Verification> {
  const ends = await reader.ends(signal);
  const kept = await keptPoints(reader, request, signal);
  const first = await firstPoint(reader, { ends, after: request.after }, signal);
  const until = Math.min(ends.head.position, first.position + (request.limit ?? Number.MAX_SAFE_INTEGER));
  const verifier = new ChainVerifier(first);
  const faults = [
    ...forgedHead(ends, request.key),
    ...kept.truncatedAt(ends.head.position),
    ...kept.rewrittenAt(ends.start),
  ];
  for (let after = first.position; after < until; ) {
    const entries = await reader.readChain(after, Math.min(BATCH, until - after), signal);
    for (const chained of entries) {
      if (chained.position > until) break;
      verifier.next(chained);
      faults.push(...kept.rewrittenAt(chained));
    }
    after = entries.at(-1)?.position ?? until;
  }
  const isDone = until === ends.head.position;
  if (isDone) verifier.end(ends.head);
  const pending = await reader.pending(signal);
  const { start, head } = ends;
  const all = [...verifier.faults(), ...faults];
  return { checked: verifier.checked, pending, start, head, faults: all, next: isDone ? undefined : until };
}

/** The head's hash covers everything before: a rewritten chain has no valid MAC for its end. */
function forgedHead({ head, headMac }: ChainEnds, key: HeadKey | undefined): ChainFault[] {
  return key === undefined || headMac === key.mac(head) ? [] : [{ kind: 'forged', position: head.position }];
}

/** The points that the caller kept, and the heads of past days. */
async function keptPoints(
  reader: ChainReader,
  { expected, kept = [] }: VerifyRequest,
  signal: AbortSignal,
): Promise<KeptPoints> {
  const days = await reader.days(signal);
  return new KeptPoints([...days, ...kept, ...(expected === undefined ? [] : [expected])]);
}

class KeptPoints {
  readonly #hashes = new Map<number, Set<string>>();

  constructor(points: readonly ChainPoint[]) {
    for (const { position, hash } of points) {
      this.#hashes.set(position, (this.#hashes.get(position) ?? new Set()).add(hash));
    }
  }

  truncatedAt(head: number): ChainFault[] {
    const beyond = [...this.#hashes.keys()].filter((position) => position > head);
    return beyond.map((position) => ({ kind: 'truncated', position }));
  }

  rewrittenAt({ position, hash }: ChainPoint): ChainFault[] {
    const kept = this.#hashes.get(position);
    return kept === undefined || (kept.size === 1 && kept.has(hash)) ? [] : [{ kind: 'rewritten', position }];
  }
}

interface Beginning {
  readonly ends: ChainEnds;
  readonly after: number | undefined;
}

async function firstPoint(reader: ChainReader, { ends, after }: Beginning, signal: AbortSignal): Promise<ChainPoint> {
  if (after === undefined || after <= ends.start.position) return ends.start;
  const [entry] = await reader.readChain(after - 1, 1, signal);
  // A missing entry is found by a verification that starts before it.
  return entry ?? ends.head;
}
