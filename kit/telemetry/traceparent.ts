/** The position of a span in a trace, as W3C Trace Context passes it between processes. */
export interface TracePosition {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** `undefined` if the header is missing or malformed: the standard asks for a new trace then, not for a refusal. */
export function parseTraceparent(header: string | undefined): TracePosition | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Later versions may append fields; version 00 has exactly these.
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TracePosition): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
