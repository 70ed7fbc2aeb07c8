import type { SeededRandom } from '../seeded.ts';
import type { JsonSchema, OpenapiDocument } from './api-description.ts';
import { SchemaSampler } from './schema-sampler.ts';

/** Chance that never adds anything: what may be left out is, and of several the first is taken. */
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

/** Gives what a schema asks for and no more, the same each time. */
export function smallestValues(document: OpenapiDocument): (schema: JsonSchema) => unknown {
  const sampler = new SchemaSampler({ document, random: THRIFT, recall: () => undefined });
  return (schema) => sampler.valid(schema);
}
