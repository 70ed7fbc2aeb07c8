import type { SeededRandom } from '../seeded.ts';
import { type JsonSchema, type OpenapiDocument, resolveSchema } from './api-description.ts';
import { SchemaSampler } from './schema-sampler.ts';

/** A random source that never adds anything: optional parts are left out, and the first of several alternatives is taken. */
const THRIFT: SeededRandom = {
  next: () => 0.99,
  integer: (min) => min,
  pick: (items) => {
    const [first] = items;
    if (first === undefined) throw new RangeError('pick one of nothing');
    return first;
  },
  shuffled: (items) => [...items],
};

/**
 * Generates small valid values of a schema: the smallest one, or that with one of the properties that may be left out, for a
 * body that needs one of several.
 */
export function smallValues(document: OpenapiDocument, random: SeededRandom): (schema: JsonSchema) => unknown {
  const sampler = new SchemaSampler({ document, random: THRIFT, recall: () => undefined });
  return (given) => {
    const schema = resolveSchema(given, document);
    const { required = [] } = schema;
    const optional = Object.keys(schema.properties ?? {}).filter((name) => !required.includes(name));
    if (optional.length === 0 || random.next() >= 0.5) return sampler.valid(schema);
    return sampler.valid({ ...schema, required: [...required, random.pick(optional)] });
  };
}

/** Generates the smallest valid value of a schema, the same each time. */
export function smallestValues(document: OpenapiDocument): (schema: JsonSchema) => unknown {
  return smallValues(document, THRIFT);
}
