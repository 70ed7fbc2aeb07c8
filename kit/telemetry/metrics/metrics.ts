import * as prometheus from 'prom-client';

/** One value for each declared label and no others: unbounded label values exhaust the collector. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface MetricOptions<Name extends string> {
  readonly name: string;
  /** One sentence, shown on `/metrics`. */
  readonly help: string;
  readonly labels?: readonly Name[];
}

export interface HistogramOptions<Name extends string> extends MetricOptions<Name> {
  /** Upper bounds, ascending; in seconds for durations. */
  readonly buckets: readonly number[];
}

export interface Counter<Name extends string> {
  add(labels: Labels<Name>, by?: number): void;
}

export interface Gauge<Name extends string> {
  set(labels: Labels<Name>, value: number): void;
}

export interface Histogram<Name extends string> {
  observe(labels: Labels<Name>, value: number): void;
}

export interface Metrics {
  /** Never decreases. The name ends in `_total`. */
  counter<Name extends string = never>(options: MetricOptions<Name>): Counter<Name>;
  gauge<Name extends string = never>(options: MetricOptions<Name>): Gauge<Name>;
  histogram<Name extends string = never>(options: HistogramOptions<Name>): Histogram<Name>;
  /** All metrics as `/metrics` serves them, with `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** The metrics of one process, including the default process metrics. Each name can be declared once. */
export function createMetrics(): Metrics {
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  const declared = <Name extends string>({ name, help, labels = [] }: MetricOptions<Name>) => {
    return { name, help, labelNames: labels, registers: [registry] };
  };
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    counter: (options) => {
      const counter = new prometheus.Counter(declared(options));
      return { add: (labels, by = 1) => counter.inc(labels, by) };
    },
    gauge: (options) => {
      const gauge = new prometheus.Gauge(declared(options));
      return { set: (labels, value) => gauge.set(labels, value) };
    },
    histogram: (options) => {
      const histogram = new prometheus.Histogram({ ...declared(options), buckets: [...options.buckets] });
      return { observe: (labels, value) => histogram.observe(labels, value) };
    },
  };
}
