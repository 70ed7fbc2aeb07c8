import type { SeededRandom } from '../seeded.ts';
import type { JsonSchema, OpenapiDocument, Operation, Parameter } from './api-description.ts';
import type { FuzzCaller, FuzzCallers } from './fuzz-callers.ts';
import type { FuzzRequest, Manner } from './fuzz-request.ts';
import {
  FILTERS,
  HOSTILE_BODIES,
  HOSTILE_CREDENTIALS,
  HOSTILE_HEADERS,
  HOSTILE_MEDIA_TYPES,
  HOSTILE_TEXTS,
  OTHER_METHODS,
} from './hostile-values.ts';
import { plausible } from './plausible-values.ts';
import { SchemaSampler } from './schema-sampler.ts';
import type { SeenValues } from './seen-values.ts';
import { smallValues } from './small-values.ts';

export interface MakerDeps {
  readonly document: OpenapiDocument;
  readonly operations: readonly Operation[];
  readonly isReachable: (operation: Operation) => boolean;
  readonly random: SeededRandom;
  readonly seen: SeenValues;
  readonly callers: FuzzCallers;
}

/** The parts of a request that can be wrong, besides its parameters. */
const OTHER_PARTS = ['body', 'media type', 'credentials', 'header', 'method', 'path', 'query'] as const;
const RECENT = 30;

/** Which parts are wrong, and how; the others are valid. */
type Spoilt = ReadonlyMap<string, Manner>;

interface Planned {
  readonly operation: Operation;
  readonly caller: FuzzCaller;
  readonly spoilt: Spoilt;
  readonly body: Buffer | undefined;
}

/** Makes requests for the operations of a description, from random choices and values seen in answers. */
export class RequestMaker {
  readonly #deps: MakerDeps;
  readonly #weighted: readonly Operation[];
  readonly #sampler: SchemaSampler;
  readonly #small: (schema: JsonSchema) => unknown;
  readonly #recent: FuzzRequest[] = [];
  readonly #unreached: Set<Operation>;

  constructor(deps: MakerDeps) {
    const { document, operations, isReachable, random, seen } = deps;
    this.#deps = deps;
    this.#unreached = new Set(operations.filter(isReachable));
    this.#weighted = operations.flatMap((one) => Array<Operation>(weightOf(one)).fill(one));
    // Usually a name is new, and a reference is to an existing object.
    const recall = (property: string): unknown =>
      (random.next() < (property === 'name' ? 0.1 : 0.7) ? seen.recall(property) : undefined) ??
      plausible(random, property);
    this.#small = smallValues(document, random);
    this.#sampler = new SchemaSampler({ document, random, recall });
  }

  next(): FuzzRequest {
    const { random, seen } = this.#deps;
    const chance = random.next();
    if (chance < 0.05 && this.#recent.length > 0) return random.pick(this.#recent);
    const request = (chance < 0.1 ? seen.continuation : undefined) ?? this.#make();
    this.#recent.push(request);
    if (this.#recent.length > RECENT) this.#recent.shift();
    return request;
  }

  /** Records that a request to the operation succeeded. */
  reached(operation: Operation): void {
    this.#unreached.delete(operation);
  }

  /**
   * The larger an API, the fewer requests each operation gets: operations that no request has reached yet get valid ones,
   * half of them from the caller that may do most.
   */
  #choose(): { readonly operation: Operation; readonly manner: Manner; readonly caller: FuzzCaller } {
    const { random, callers } = this.#deps;
    if (random.next() < 0.25 && this.#unreached.size > 0) {
      const caller = random.next() < 0.5 ? callers.mostPowerful() : callers.next();
      return { operation: random.pick(this.#candidates()), manner: 'valid', caller };
    }
    const manner = random.pick<Manner>(['valid', 'valid', 'nearly valid', 'hostile']);
    return { operation: random.pick(this.#weighted), manner, caller: callers.next() };
  }

  /** Unreached operations. A deletion would take away what the others on its path need. */
  #candidates(): readonly Operation[] {
    const unreached = [...this.#unreached];
    const isLast = (one: Operation): boolean => !unreached.some((other) => other !== one && other.path === one.path);
    return unreached.filter((one) => one.method !== 'DELETE' || isLast(one));
  }

  #make(): FuzzRequest {
    const { random, seen } = this.#deps;
    const { operation, manner, caller } = this.#choose();
    seen.refocus(operation, caller);
    const spoilt = this.#spoil(operation, manner);
    const body = this.#body(operation, spoilt);
    // Not both: if headers are too large, a server does not even read the method, and cannot know that HEAD wants no
    // body.
    const isOther = spoilt.has('method') && !spoilt.has('header');
    const method = isOther ? random.pick(OTHER_METHODS) : operation.method;
    const headers = this.#headers({ operation, caller, spoilt, body });
    return { operation, manner, caller, method, target: this.#target(operation, spoilt), headers, body };
  }

  #spoil({ parameters, body }: Operation, manner: Manner): Spoilt {
    const { random } = this.#deps;
    if (manner === 'valid') return new Map();
    const described = [...parameters.map(keyOf), ...(body === undefined ? [] : ['body', 'body'])];
    if (manner === 'nearly valid') return new Map(described.length === 0 ? [] : [[random.pick(described), manner]]);
    const parts = random.shuffled([...described, ...OTHER_PARTS]);
    return new Map(parts.slice(0, random.pick([1, 1, 2, 3])).map((part) => [part, manner]));
  }

  #target({ path, parameters }: Operation, spoilt: Spoilt): string {
    const { random } = this.#deps;
    const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
      return parameter === undefined ? name : encode(this.#values(parameter, spoilt)[0] ?? '');
    });
    const whole = spoilt.has('path') ? this.#otherPath(filled) : filled;
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap((parameter) => this.#values(parameter, spoilt).map((value) => `${parameter.name}=${encode(value)}`));
    if (spoilt.has('query')) {
      const stray = random.pick(HOSTILE_TEXTS);
      pairs.push(
        random.pick([`${encode(stray)}=1`, visible(stray), '&&==', 'dryRun', 'filter[]=x', '%zz=%', ...pairs]),
      );
    }
    return pairs.length === 0 ? whole : `${whole}?${pairs.join('&')}`;
  }

  #otherPath(path: string): string {
    const stray = visible(this.#deps.random.pick(HOSTILE_TEXTS)).replaceAll(/[?#]/g, '');
    const others = [`${path}/`, `${path}//`, `/${path}`, `${path}/${stray}`, `${path}${stray}`, `${path}:${stray}`];
    others.push(path.toUpperCase(), `${path};a=b`, path.replace('/v1', '/v1/..'), `${path}%2f`, `/${stray}`, '*');
    return this.#deps.random.pick(others);
  }

  /** The texts to send; empty when the parameter is left out. */
  #values(parameter: Parameter, spoilt: Spoilt): string[] {
    const { random } = this.#deps;
    const manner = spoilt.get(keyOf(parameter)) ?? 'valid';
    if (manner === 'hostile') return [random.pick(parameter.name === 'filter' ? FILTERS : HOSTILE_TEXTS)];
    if (manner === 'nearly valid') return [this.#sampler.nearlyValid(parameter.schema)].flat().map(asText);
    // A page token comes only from the server, and is followed separately.
    if (parameter.required !== true && (parameter.name === 'pageToken' || random.next() < 0.6)) return [];
    if (parameter.name === 'filter') return [random.pick(FILTERS)];
    const known = random.next() < 0.8 ? this.#deps.seen.recall(parameter.name) : undefined;
    if (known === undefined) return [this.#sampler.valid(parameter.schema)].flat().map(asText);
    // A quoted example means that the value is sent in quotes.
    return [asText(parameter.example).startsWith('"') ? random.pick([`"${known}"`, `"${known}"`, '*']) : known];
  }

  #headers({ operation, caller, spoilt, body }: Planned): Record<string, string> {
    const { random } = this.#deps;
    const headers: Record<string, string> = {};
    // Each request comes from an address of its own: the rate limit per address is not under test.
    headers['x-forwarded-for'] = `10.${random.integer(0, 255)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
    const credentials = spoilt.has('credentials') ? random.pick(HOSTILE_CREDENTIALS) : `Bearer ${caller.token}`;
    if (operation.needsCredentials && credentials !== undefined) headers['authorization'] = credentials;
    if (body !== undefined) {
      headers['content-type'] = random.pick(Object.keys(operation.body ?? { 'application/json': {} }));
      // Node's client omits both for methods that usually have no body.
      if (random.next() < 0.05) headers['transfer-encoding'] = 'chunked';
      else headers['content-length'] = String(body.length);
    }
    if (spoilt.has('media type')) headers['content-type'] = random.pick(HOSTILE_MEDIA_TYPES);
    for (const parameter of operation.parameters.filter((one) => one.in === 'header')) {
      const [value] = this.#values(parameter, spoilt);
      if (value !== undefined) headers[parameter.name.toLowerCase()] = value;
    }
    if (spoilt.has('header')) {
      const [name, value] = this.#strangeHeader();
      headers[name] = value;
    }
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, sendable(value)]));
  }

  #strangeHeader(): readonly [string, string] {
    const { random } = this.#deps;
    const ours = ['if-match', 'if-none-match', 'idempotency-key', 'last-event-id'] as const;
    if (random.next() < 0.3) return [random.pick(ours), random.pick(HOSTILE_TEXTS)];
    return random.pick(HOSTILE_HEADERS);
  }

  /** An operation that no request has reached yet often gets a small body: large ones have more to be refused for. */
  #body(operation: Operation, spoilt: Spoilt): Buffer | undefined {
    const { body: content } = operation;
    const { random } = this.#deps;
    const manner = spoilt.get('body') ?? 'valid';
    if (manner === 'hostile' && random.next() < 0.6) return random.pick(HOSTILE_BODIES);
    const [{ schema = {} } = {}] = Object.values(content ?? {});
    if (manner === 'hostile') return jsonOf(this.#sampler.anything());
    if (content === undefined) return undefined;
    if (manner === 'valid' && this.#unreached.has(operation) && random.next() < 0.5) return jsonOf(this.#small(schema));
    return jsonOf(manner === 'valid' ? this.#sampler.valid(schema) : this.#sampler.nearlyValid(schema));
  }
}

/**
 * Public operations answer all callers alike, so they get few requests. Operations that create objects get many, because
 * they produce new states.
 */
function weightOf({ needsCredentials, method, path }: Operation): number {
  if (!needsCredentials) return 1;
  if (method !== 'POST') return 8;
  // All other objects belong to the top-level ones.
  return /[{:]/.test(path) ? 16 : 96;
}

function keyOf(parameter: Parameter): string {
  return `${parameter.in} ${parameter.name}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? 'null');
}

/** Percent-encoded UTF-8, also of invalid text. */
function encode(text: string): string {
  return [...Buffer.from(text)].map((byte) => encodeByte(byte, /[A-Za-z0-9._~-]/)).join('');
}

/** Unencoded, as far as a client can send it: the server interprets percent signs and slashes. */
function visible(text: string): string {
  return [...Buffer.from(text)].map((byte) => encodeByte(byte, /[\x21-\x7e]/)).join('');
}

function encodeByte(byte: number, plain: RegExp): string {
  const character = String.fromCharCode(byte);
  return plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Node's client sends no line breaks, and nothing beyond Latin-1. */
function sendable(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}
