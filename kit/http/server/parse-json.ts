import { HttpError } from '../errors/http-error.ts';

/** Deeper than any hand-written document. */
const MAX_DEPTH = 200;
/** Dangerous names occur in a text literally or escaped; most texts have neither. */
const SUSPICIOUS = /__proto__|"constructor"|\\u/;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses a body, or throws `MALFORMED_JSON` with the reason. Values that a database or a copy would change are refused. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (isTooDeep(text)) throw malformed(`it is nested deeper than ${MAX_DEPTH}`);
  const value = parse(text);
  if (SUSPICIOUS.test(text)) checkValue(value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw malformed('it is not UTF-8', cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(cause instanceof Error ? cause.message : 'it ends too early', cause);
  }
}

/** Checked before parsing: later steps are recursive, and the stack is limited. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function checkValue(value: unknown): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    checkText(key);
    const isPrototype = key === 'constructor' && typeof inner === 'object' && inner !== null && 'prototype' in inner;
    if (key === '__proto__' || isPrototype) throw malformed(`no field may be called ${key} here`);
    checkValue(inner);
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw malformed('text cannot hold the character U+0000');
  if (!text.isWellFormed()) throw malformed('text holds half of a surrogate pair');
}

function malformed(why: string, cause?: unknown): HttpError {
  const message = `The body cannot be read as JSON: ${why}. Correct it and send it again.`;
  return new HttpError('MALFORMED_JSON', message, cause === undefined ? {} : { cause });
}
