import { pairsOf, type RawHeaders } from './header-policy.ts';

/** How a message says where its body ends. `none`: a request has no body, an answer lasts until its connection ends. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' };

const LENGTH = /^\d{1,15}$/;
/** They have no body unless a header says so, and need no header to say that there is none. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** `undefined` where two readers could find the end in different places. Codings other than `chunked` are nobody's here. */
export function framingOf(raw: RawHeaders): BodyFraming | undefined {
  const [lengths, encodings] = ['content-length', 'transfer-encoding'].map((wanted) =>
    pairsOf(raw).flatMap(([name, value]) => (name === wanted ? [value] : [])),
  ) as [string[], string[]];
  if (lengths.length + encodings.length > 1) return undefined;
  const [[length], [encoding]] = [lengths, encodings];
  if (encoding !== undefined) return encoding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  if (length === undefined) return { kind: 'none' };
  return LENGTH.test(length) ? { kind: 'length', length: Number(length) } : undefined;
}

/** What a request says about its body on the next connection: always something of our own, whatever the method. */
export function framingHeaders(framing: BodyFraming, method: string): Readonly<Record<string, string>> {
  if (framing.kind === 'chunked') return { 'transfer-encoding': 'chunked' };
  if (framing.kind === 'length') return { 'content-length': String(framing.length) };
  return BODILESS.has(method) ? {} : { 'content-length': '0' };
}
