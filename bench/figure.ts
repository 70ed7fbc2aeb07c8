/** One measured number, with that of the raw counterpart or a peer in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: number;
  /** How many times as long (or as large) as the reference: 1 is equal, 2 is twice as slow, whatever the unit. */
  readonly ratio?: number;
  /** The largest acceptable ratio, or the largest acceptable value where there is no reference. */
  readonly goal?: number;
  readonly met?: boolean;
  /** Which direction is better; lower by default. */
  readonly better?: 'higher';
}

export interface BenchContext {
  /** Ends within 40 seconds. */
  readonly quick: boolean;
  /** Other programs to measure in the same run, as `name=command`; each bench defines their protocol. */
  readonly peers: readonly string[];
  readonly signal: AbortSignal;
  log(line: string): void;
}

export interface Bench {
  readonly name: string;
  readonly description: string;
  run(context: BenchContext): Promise<Figure[]>;
}

interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly reference: number;
  readonly goal?: number;
}

/** For operations per second: more is better. */
export function rate(compared: Compared): Figure {
  return { ...withRatio(compared, compared.reference / compared.value), better: 'higher' };
}

/** For latency or bytes: less is better. */
export function cost(compared: Compared): Figure {
  return withRatio(compared, compared.value / compared.reference);
}

function withRatio({ name, unit, value, reference, goal }: Compared, exact: number): Figure {
  const ratio = round(exact);
  const figure = { name, value: round(value), unit, reference: round(reference), ratio };
  return goal === undefined ? figure : { ...figure, goal, met: ratio <= goal };
}

/** More is better for units per second, less for everything else. */
export function plain(name: string, value: number, unit: string): Figure {
  return { name, value: round(value), unit, ...(unit.endsWith('/s') && { better: 'higher' as const }) };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
