import type { Soak } from '#testing/soak';
import { fuzzParsers } from './fuzz.soak.ts';

/** The same for a duration: rare inputs need time, and some parsers are a hundred times faster than others. */
export const soak: Soak = {
  description: 'the same as fuzz; the count is minutes for each parser',
  defaultCount: 10,
  run: (options) => fuzzParsers(options, { unit: 'minutes', isTimed: true }),
};
