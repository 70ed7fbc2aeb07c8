/**
 * The meters. `sum`: the total of a day. `maximum`: the highest number at one time on that day. The list is closed, so that
 * billing has one meaning.
 */
export const METERS = {
  targets: 'maximum',
  deliveries: 'sum',
  indexRows: 'maximum',
  tunnelBytes: 'sum',
} as const satisfies Readonly<Record<string, 'sum' | 'maximum'>>;

export type Meter = keyof typeof METERS;
export type SumMeter = { [M in Meter]: (typeof METERS)[M] extends 'sum' ? M : never }[Meter];
export type MaximumMeter = Exclude<Meter, SumMeter>;
