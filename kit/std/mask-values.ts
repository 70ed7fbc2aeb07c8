import { REDACTED } from './secret.ts';

/** Shorter values occur in any text by chance. */
const SHORTEST = 4;
/** How much of the beginning of a value is enough to recognise it where the rest was cut off. */
const SEED = 16;

/** Returns the text with each value replaced. */
export type ValueMask = (text: string) => string;

/**
 * Masks values that are known to be secret in foreign text: verbatim, line by line for multi-line values, as JSON, and
 * in base64 in both directions, also where a long value was truncated. Other encodings are not recognised: this guards
 * against quoting a secret, not against hiding one.
 */
export function maskValues(values: Iterable<string>, instead: string = REDACTED): ValueMask {
  const forms = new Set<string>();
  for (const value of values) for (const form of formsOf(value)) if (form.length >= SHORTEST) forms.add(form);
  if (forms.size === 0) return (text) => text;
  // Longest first: shorter forms may be part of longer ones.
  const sorted = [...forms].sort((one, two) => two.length - one.length);
  return (text) => sorted.reduce((masked, form) => maskOne(masked, form, instead), text);
}

/** Every string and number in a JSON value, at any depth. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function maskOne(text: string, form: string, instead: string): string {
  const seed = form.slice(0, SEED);
  let at = text.indexOf(seed);
  if (at < 0) return text;
  let masked = '';
  let from = 0;
  while (at >= 0) {
    let end = at + seed.length;
    while (end - at < form.length && text[end] === form[end - at]) end += 1;
    masked += text.slice(from, at) + instead;
    from = end;
    at = text.indexOf(seed, end);
  }
  return masked + text.slice(from);
}

function* formsOf(value: string): Iterable<string> {
  yield* plainForms(value);
  yield encoded(value);
  const decoded = decodedFrom(value);
  if (decoded !== undefined) yield* plainForms(decoded);
}

function* plainForms(value: string): Iterable<string> {
  yield value;
  yield JSON.stringify(value).slice(1, -1);
  if (!value.includes('\n')) return;
  for (const line of value.split('\n')) yield line.trim();
}

function encoded(value: string): string {
  return new TextEncoder().encode(value).toBase64({ omitPadding: true });
}

/** Data of Kubernetes Secrets is base64. */
function decodedFrom(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(value)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(value));
  } catch {
    return undefined;
  }
}
