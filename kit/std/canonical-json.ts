import { StdError } from './std-error.ts';

/** A value that JSON can express. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

// Deeper than any hand-written document, and far from exhausting the stack.
const MAX_DEPTH = 512;

interface Trail {
  readonly path: (string | number)[];
  readonly above: Set<object>;
}

/**
 * Canonical JSON (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript writes them. Equal
 * values have the same text, so the text can be hashed and compared.
 *
 * Values that JSON cannot hold are refused with `NOT_JSON` and their path, never dropped or converted: `undefined`, NaN
 * and infinities, big integers, functions, symbols, class instances (dates, maps, secrets), lone surrogates, cycles,
 * and nesting deeper than 512.
 */
export function canonicalJson(value: unknown): string {
  return write(value, { path: [], above: new Set() });
}

function write(value: unknown, trail: Trail): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, trail);
    case 'number':
      if (!Number.isFinite(value)) throw refusal(trail, `${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : writeNested(value, trail);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      throw refusal(trail, `JSON has no ${typeof value}`);
  }
}

function writeString(text: string, trail: Trail): string {
  if (!text.isWellFormed()) throw refusal(trail, 'half of a surrogate pair is not Unicode');
  return JSON.stringify(text);
}

function writeNested(value: object, trail: Trail): string {
  if (trail.above.has(value)) throw refusal(trail, 'the value contains itself');
  if (trail.path.length >= MAX_DEPTH) throw refusal(trail, `nested deeper than ${MAX_DEPTH}`);
  trail.above.add(value);
  const text = Array.isArray(value) ? writeArray(value, trail) : writeObject(value, trail);
  trail.above.delete(value);
  return text;
}

function writeArray(items: readonly unknown[], trail: Trail): string {
  let text = '';
  // Not `map`, which would skip the holes of a sparse array instead of refusing them.
  for (let index = 0; index < items.length; index += 1) {
    trail.path.push(index);
    text += `${index === 0 ? '' : ','}${write(items[index], trail)}`;
    trail.path.pop();
  }
  return `[${text}]`;
}

function writeObject(value: object, trail: Trail): string {
  if (!isPlain(value)) throw refusal(trail, `JSON has no ${value.constructor?.name || 'class instance'}`);
  let text = '';
  for (const key of Object.keys(value).sort()) {
    trail.path.push(key);
    text += `${text === '' ? '' : ','}${writeString(key, trail)}:${write(value[key], trail)}`;
    trail.path.pop();
  }
  return `{${text}}`;
}

/** A null prototype is plain too: rows of node:sqlite have one. */
function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function refusal(trail: Trail, message: string): StdError {
  const path = trail.path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return new StdError('NOT_JSON', `write canonical JSON: at ${JSON.stringify(path)}: ${message}`, {
    faults: [{ path, message }],
  });
}
