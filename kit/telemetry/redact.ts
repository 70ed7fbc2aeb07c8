import { REDACTED } from '#kit/std';
import { scrubText } from './scrub-text.ts';

const SECRET_FIELD =
  /(?:authorization|cookie|token|password|passphrase|secret|kube-?config|private[-_]?key|key[-_]?data|api[-_]?key|credential)s?$/i;

const MAX_DEPTH = 8;
const MAX_VALUES = 1_000;
const MAX_TEXT = 16_384;

interface Budget {
  values: number;
}

/**
 * Decides by the end of the name, in any spelling: `token`, `adminToken`, `Set-Cookie`, `client-key-data`; not
 * `tokenName`.
 */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

/**
 * A copy that is safe to log: secrets are removed by field name, type and pattern at any depth, errors keep their
 * causes, bytes become their count. Never throws. The size of the copy is bounded: cycles and oversized values are cut.
 */
export function redact(value: unknown): unknown {
  return visit(value, 0, { values: MAX_VALUES });
}

/** Redacts the fields of a log line. The result is an object even if the fields cannot be read. */
export function redactFields(fields: object): Readonly<Record<string, unknown>> {
  const copy = redact(fields);
  return typeof copy === 'object' && copy !== null ? { ...copy } : { reason: copy };
}

/** Redacts the text and truncates it to the length limit of a line. */
export function redactText(text: string): string {
  const scrubbed = scrubText(text);
  return scrubbed.length > MAX_TEXT ? `${scrubbed.slice(0, MAX_TEXT)}… ${scrubbed.length - MAX_TEXT} more` : scrubbed;
}

function visit(value: unknown, depth: number, budget: Budget): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : visitObject(value, depth, budget);
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
  }
}

function visitObject(value: object, depth: number, budget: Budget): unknown {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[too deep]';
  try {
    if (value instanceof Error) return visitError(value, depth, budget);
    // Also covers `Secret`, whose JSON is its redaction.
    if (hasJson(value)) return visit(value.toJSON(), depth + 1, budget);
    if (Array.isArray(value) || value instanceof Set) return visitList(value, depth, budget);
    return visitEntries(value instanceof Map ? value : Object.entries(value), depth, budget);
  } catch {
    // A getter or a foreign toJSON threw. A log line with a gap is better than a request that fails because of its
    // logging.
    return '[unreadable]';
  }
}

function hasJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function visitList(items: Iterable<unknown>, depth: number, budget: Budget): unknown[] {
  const copy: unknown[] = [];
  for (const item of items) {
    if (budget.values-- <= 0) return [...copy, '[cut]'];
    copy.push(visit(item, depth + 1, budget));
  }
  return copy;
}

function visitEntries(entries: Iterable<readonly [unknown, unknown]>, depth: number, budget: Budget): object {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    if (budget.values-- <= 0) {
      copy['…'] = '[cut]';
      break;
    }
    const name = String(key);
    // Assigning `__proto__` would change the prototype of the copy.
    if (name === '__proto__') continue;
    copy[name] = value != null && isSecretField(name) ? REDACTED : visit(value, depth + 1, budget);
  }
  return copy;
}

/** Copies known fields only: drivers attach properties to their errors that may quote the refused data. */
function visitError(error: Error, depth: number, budget: Budget): object {
  const { name, message, stack, cause } = error;
  const picked: Record<string, unknown> = { type: name, message };
  for (const field of ['code', 'details', 'faults', 'errors']) {
    const value: unknown = Reflect.get(error, field);
    if (value !== undefined && !isEmpty(value)) picked[field] = value;
  }
  if (stack !== undefined) picked['stack'] = stack;
  if (cause !== undefined) picked['cause'] = cause;
  return visitEntries(Object.entries(picked), depth, budget);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
