import type { SeededRandom } from '../seeded.ts';
import type { JsonSchema, OpenapiDocument } from './api-description.ts';
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

/** Generates the smallest valid value of a schema, the same each time. */
export function smallestValues(document: OpenapiDocument): (schema: JsonSchema) => unknown {
  const sampler = new SchemaSampler({ document, random: THRIFT, recall: () => undefined });
  return (schema) => sampler.valid(schema);
}
