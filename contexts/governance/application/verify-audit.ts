import type { ChainPoint } from '../domain/audit-chain.ts';
import { type ChainFault, ChainVerifier } from '../domain/verify-chain.ts';
import type { ChainEnds, ChainReader, HeadKey } from './ports.ts';

export interface VerifyRequest {
  /** Begins behind this position, whose entry is taken for true; at the beginning unless told. */
  readonly after?: number | undefined;
  /** Looks at no more than so many entries. */
  readonly limit?: number | undefined;
  /** A place in the chain that somebody kept elsewhere. */
  readonly expected?: ChainPoint | undefined;
  /** More of them. */
  readonly kept?: readonly ChainPoint[];
  /** The head must be one that this key has authenticated. */
  readonly key?: HeadKey | undefined;
}

export interface Verification {
  readonly checked: number;
  readonly pending: number;
  readonly start: ChainPoint;
  readonly head: ChainPoint;
  readonly faults: readonly ChainFault[];
  /** Where to go on; `undefined` when everything was looked at. */
  readonly next: number | undefined;
}

/** Some milliseconds of hashing. */
const BATCH = 200;

/** Looks whether the chain still says what was written down. What is appended meanwhile is left for the next time. */
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

/** All that comes before is in its hash: whoever wrote the chain anew has no MAC for where it ends. */
function forgedHead({ head, headMac }: ChainEnds, key: HeadKey | undefined): ChainFault[] {
  return key === undefined || headMac === key.mac(head) ? [] : [{ kind: 'forged', position: head.position }];
}

/** What the operator kept, and the heads of the days that are over. */
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
  // One that is missing is found by whoever begins before it.
  return entry ?? ends.head;
}
