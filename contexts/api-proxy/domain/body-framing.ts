import { type RawHeaders, valuesOf } from './header-policy.ts';

/** How a message delimits its body. `none`: a request has no body, a response lasts until its connection ends. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' };

const LENGTH = /^\d{1,15}$/;
/** Without a header these have no body, and they need no header to say so. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * `undefined` where two parsers could find the end in different places. Transfer codings other than `chunked` are
 * refused.
 */
export function framingOf(raw: RawHeaders): BodyFraming | undefined {
  const lengths = valuesOf(raw, 'content-length');
  const encodings = valuesOf(raw, 'transfer-encoding');
  if (lengths.length + encodings.length > 1) return undefined;
  const [[length], [encoding]] = [lengths, encodings];
  if (encoding !== undefined) return encoding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  if (length === undefined) return { kind: 'none' };
  return LENGTH.test(length) ? { kind: 'length', length: Number(length) } : undefined;
}

/** The framing headers for the next connection: always written by the proxy, whatever the method. */
export function framingHeaders(framing: BodyFraming, method: string): Readonly<Record<string, string>> {
  if (framing.kind === 'chunked') return { 'transfer-encoding': 'chunked' };
  if (framing.kind === 'length') return { 'content-length': String(framing.length) };
  return BODILESS.has(method) ? {} : { 'content-length': '0' };
}
