import type { Soak } from '#testing/soak';
import { fuzzParsers } from './fuzz.soak.ts';

/** The same by the clock: rare inputs need time, and some parsers get through a hundred times as many as others. */
export const soak: Soak = {
  description: 'the same as fuzz; the count is minutes for each parser',
  defaultCount: 10,
  run: (options) => fuzzParsers(options, { unit: 'minutes', isTimed: true }),
};
