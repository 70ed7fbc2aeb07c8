import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, contentHash } from '#kit/std';
import { isList, isObject } from '../json.ts';
import { mergeValues } from '../merge-values.ts';
import { isMarked } from '../secret-mark.ts';

/** Lets a function reject its arguments, and charge for work beyond their size. */
export interface FunctionCall {
  readonly refuse: (message: string) => never;
  readonly pay: (characters: number) => void;
}

interface TemplateFunction {
  /** The smallest and the largest number of arguments. */
  readonly takes: readonly [number, number];
  run(args: readonly Json[], call: FunctionCall): Json;
}

/** Functions that check whether a path exists before evaluating it. */
export const PATH_FUNCTIONS: ReadonlyMap<string, TemplateFunction['takes']> = new Map([
  ['default', [2, 2]],
  ['has', [1, 1]],
] as const);

/** All other functions. A map, because a plain object has inherited functions. */
export const TEMPLATE_FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map(
  Object.entries<TemplateFunction>({
    lower: { takes: [1, 1], run: ([a], call) => text(a, call).toLowerCase() },
    upper: { takes: [1, 1], run: ([a], call) => text(a, call).toUpperCase() },
    trim: { takes: [1, 1], run: ([a], call) => text(a, call).trim() },
    replace: { takes: [3, 3], run: replace },
    split: { takes: [2, 2], run: split },
    join: { takes: [2, 2], run: join },
    truncate: { takes: [2, 2], run: ([a, to], call) => [...text(a, call)].slice(0, count(to, call)).join('') },
    contains: { takes: [2, 2], run: contains },
    startsWith: { takes: [2, 2], run: ([a, b], call) => text(a, call).startsWith(text(b, call)) },
    endsWith: { takes: [2, 2], run: ([a, b], call) => text(a, call).endsWith(text(b, call)) },
    length: { takes: [1, 1], run: length },
    string: { takes: [1, 1], run: ([a], call) => scalarText(a, call) },
    number: { takes: [1, 1], run: number },
    json: { takes: [1, 1], run: ([a = null]) => canonicalJson(a) },
    base64: { takes: [1, 1], run: ([a], call) => new TextEncoder().encode(text(a, call)).toBase64() },
    hash: { takes: [1, 1], run: ([a = null]) => contentHash(a).slice('sha256:'.length) },
    keys: { takes: [1, 1], run: ([a], call) => Object.keys(object(a, call)).sort() },
    merge: { takes: [2, 2], run: ([a, b], call) => mergeValues(object(a, call), object(b, call)) },
  }),
);

/** The text of a value within other text. Lists and objects need a function that converts them. */
export function scalarText(value: Json | undefined, { refuse }: Pick<FunctionCall, 'refuse'>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return refuse(`${typeName(value)} has no text; use json(...) or join(...)`);
}

export function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (isMarked(value)) return 'a secret';
  if (isList(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

function split([a, by]: readonly Json[], call: FunctionCall): string[] {
  return searched(text(a, call), separator(by, call), call).split(text(by, call));
}

/**
 * A search may compare each character of one text with each of the other. For short texts the cost is covered already.
 */
function searched(whole: string, part: string, call: FunctionCall): string {
  call.pay(Math.floor((whole.length * part.length) / 1_000));
  return whole;
}

/** The cost is charged before the text is built: a short text can produce a very long one. */
function replace([a, what, by]: readonly Json[], call: FunctionCall): Json {
  const parts = searched(text(a, call), separator(what, call), call).split(text(what, call));
  const replacement = text(by, call);
  call.pay(parts.length * (replacement.length + 1));
  return parts.join(replacement);
}

function join([list, by]: readonly Json[], call: FunctionCall): Json {
  if (!isList(list)) return call.refuse(`needs a list, not ${typeName(list)}`);
  const glue = text(by, call);
  call.pay(list.length * (glue.length + 1));
  return list.map((item) => scalarText(item, call)).join(glue);
}

function contains([whole, part]: readonly Json[], call: FunctionCall): Json {
  if (!isList(whole)) return searched(text(whole, call), text(part, call), call).includes(text(part, call));
  const wanted = canonicalJson(part ?? null);
  return whole.some((item) => canonicalJson(item) === wanted);
}

function length([value]: readonly Json[], { refuse }: FunctionCall): Json {
  if (typeof value === 'string') return [...value].length;
  if (isList(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : refuse(`${typeName(value)} has no length`);
}

function number([value]: readonly Json[], call: FunctionCall): Json {
  if (typeof value === 'number') return value;
  const parsed = /^-?\d+(?:\.\d+)?$/.test(text(value, call)) ? Number(value) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : call.refuse('is not a number');
}

function text(value: Json | undefined, { refuse }: FunctionCall): string {
  return typeof value === 'string' ? value : refuse(`needs a text, not ${typeName(value)}`);
}

function separator(value: Json | undefined, call: FunctionCall): string {
  return text(value, call) || call.refuse('needs a text that is not empty');
}

function count(value: Json | undefined, { refuse }: FunctionCall): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse('needs a whole number, zero or more');
}

function object(value: Json | undefined, { refuse }: FunctionCall): JsonObject {
  return isObject(value) ? value : refuse(`needs an object, not ${typeName(value)}`);
}
