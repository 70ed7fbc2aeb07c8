import fc from 'fast-check';
import type { SeededRandom } from '../seeded.ts';
import { type JsonSchema, type OpenapiDocument, resolveSchema } from './api-description.ts';
import { HOSTILE_NUMBERS, HOSTILE_TEXTS } from './hostile-values.ts';

export interface SamplerDeps {
  readonly document: OpenapiDocument;
  readonly random: SeededRandom;
  /** Returns a value seen earlier for the property, if it should be used. */
  readonly recall: (property: string) => unknown;
}

/** Number of distinct texts per pattern: few enough that some repeat, as names do. */
const POOL = 300;
const LETTERS = Array.from('abcXYZ 019-_.éß漢字👍');

type Entry = [string, unknown];

/** Values for a schema: valid, nearly valid, or arbitrary. */
export class SchemaSampler {
  readonly #deps: SamplerDeps;
  readonly #pools = new Map<string, readonly string[]>();

  constructor(deps: SamplerDeps) {
    this.#deps = deps;
  }

  valid(given: JsonSchema): unknown {
    const { random } = this.#deps;
    const schema = resolveSchema(given, this.#deps.document);
    if ('const' in schema) return schema.const;
    if (schema.enum !== undefined) return random.pick(schema.enum);
    if (schema.examples !== undefined && random.next() < 0.5) return random.pick(schema.examples);
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return this.valid(random.pick(options));
    switch (schema.type) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'string':
        return this.#text(schema);
      case 'integer':
        return this.#integer(schema);
      case 'number':
        return this.#integer(schema) + random.pick([0, 0.5]);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      case undefined:
        return this.anything();
      default:
        throw new TypeError(`make a value of a schema: the type ${schema.type} is none`);
    }
  }

  /** A valid value with one fault in it. */
  nearlyValid(given: JsonSchema): unknown {
    const { random } = this.#deps;
    const schema = resolveSchema(given, this.#deps.document);
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return this.nearlyValid(random.pick(options));
    if (schema.type === 'object') return this.#nearlyObject(schema);
    if (schema.type === 'array') return this.#nearlyArray(schema);
    return random.pick([...this.#misses(schema), this.anything()]);
  }

  anything(depth = 0): unknown {
    const { random } = this.#deps;
    const kind = random.integer(0, depth < 3 ? 7 : 5);
    if (kind <= 2) return random.pick(HOSTILE_TEXTS);
    if (kind === 3) return random.pick(HOSTILE_NUMBERS);
    if (kind === 4) return random.pick([true, false]);
    if (kind === 5) return null;
    if (kind === 6) return Array.from({ length: random.integer(0, 3) }, () => this.anything(depth + 1));
    const keys = Array.from({ length: random.integer(0, 3) }, () => random.pick(HOSTILE_TEXTS));
    return Object.fromEntries(keys.map((key): Entry => [key, this.anything(depth + 1)]));
  }

  #object(schema: JsonSchema): Record<string, unknown> {
    const { random } = this.#deps;
    const { properties = {}, required = [], additionalProperties } = schema;
    const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.next() < 0.5);
    const entries = chosen.map(([name, property]): Entry => [name, this.#deps.recall(name) ?? this.valid(property)]);
    if (typeof additionalProperties === 'object') {
      const more = Array.from({ length: random.integer(0, 3) });
      entries.push(...more.map((): Entry => [this.#key(), this.valid(additionalProperties)]));
    }
    return Object.fromEntries(entries);
  }

  /** The keys of a map have rules that no schema expresses, so most are simple. */
  #key(): string {
    const { random } = this.#deps;
    return random.next() < 0.9 ? random.pick(['a', 'b', 'team', 'example.com/tier']) : random.pick(HOSTILE_TEXTS);
  }

  #array({ items = {}, minItems = 0, maxItems = 5 }: JsonSchema): unknown[] {
    const length = this.#deps.random.integer(minItems, Math.min(maxItems, minItems + 3));
    return Array.from({ length }, () => this.valid(items));
  }

  #integer({ minimum = -10, maximum = minimum + 100 }: JsonSchema): number {
    const { random } = this.#deps;
    return random.next() < 0.3 ? random.pick([minimum, maximum]) : random.integer(minimum, maximum);
  }

  #text({ pattern, format, minLength = 0, maxLength: longest }: JsonSchema): string {
    const { random } = this.#deps;
    if (pattern !== undefined) {
      const fitting = this.#pool(pattern).filter(
        (text) => text.length >= minLength && text.length <= (longest ?? text.length),
      );
      return random.pick(fitting);
    }
    if (format === 'uuid') return '01987654-3210-7abc-8def-0123456789ab';
    if (format === 'date-time') return '2026-01-01T00:00:00Z';
    const maxLength = longest ?? Math.max(minLength, 40);
    const length = random.pick([minLength, maxLength, random.integer(minLength, maxLength)]);
    return Array.from({ length }, () => random.pick(LETTERS)).join('');
  }

  #pool(pattern: string): readonly string[] {
    const known = this.#pools.get(pattern);
    if (known !== undefined) return known;
    const seed = this.#deps.random.integer(0, 2 ** 31 - 1);
    const texts = new Set(fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed, numRuns: POOL }));
    this.#pools.set(pattern, [...texts]);
    return [...texts];
  }

  #nearlyObject(schema: JsonSchema): unknown {
    const { random } = this.#deps;
    const value = this.#object(schema);
    const name = random.pick(Object.keys({ ...schema.properties, ...value, unknown: true }));
    switch (random.pick(['drop', 'add', 'null', 'inside', 'inside', 'inside', 'swap'])) {
      case 'drop':
        return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
      case 'add':
        return { ...value, [random.pick([...HOSTILE_TEXTS, 'uid', 'etag', 'generation'])]: this.anything() };
      case 'null':
        return { ...value, [name]: null };
      case 'inside':
        return { ...value, [name]: this.nearlyValid(schema.properties?.[name] ?? {}) };
      default:
        return [value];
    }
  }

  #nearlyArray(schema: JsonSchema): unknown[] {
    const { random } = this.#deps;
    const item = schema.items ?? {};
    if (random.next() < 0.3) return [];
    if (random.next() < 0.5) return Array.from({ length: (schema.maxItems ?? 50) + 1 }, () => this.valid(item));
    return [...this.#array(schema), this.nearlyValid(item)];
  }

  /** Values just outside the schema. */
  #misses(schema: JsonSchema): unknown[] {
    const { minLength, maxLength, minimum, maximum } = schema;
    const value = this.valid(schema);
    const misses: unknown[] = [JSON.stringify(value), [value], { value }, null];
    if (typeof value === 'string') misses.push(`${value} `, value.toUpperCase(), `-${value}`, `${value}\u0000`, 7);
    if (minLength) misses.push('a'.repeat(minLength - 1));
    if (maxLength !== undefined) misses.push('a'.repeat(maxLength + 1), '👍'.repeat(maxLength));
    if (minimum !== undefined) misses.push(minimum - 1, minimum + 0.5);
    if (maximum !== undefined) misses.push(maximum + 1, maximum * 1e6);
    if (typeof value === 'number') misses.push(-value, value + 0.1, ...HOSTILE_NUMBERS);
    return misses;
  }
}
