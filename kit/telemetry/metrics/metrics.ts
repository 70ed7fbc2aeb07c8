import * as prometheus from 'prom-client';

/** A value for each declared label, and for nothing else: labels that vary without bound exhaust the collector. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface MetricOptions<Name extends string> {
  readonly name: string;
  /** A sentence for the reader of `/metrics`. */
  readonly help: string;
  readonly labels?: readonly Name[];
}

export interface HistogramOptions<Name extends string> extends MetricOptions<Name> {
  /** Upper bounds, rising; seconds for times. */
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
  /** Only ever grows. Its name ends in `_total`. */
  counter<Name extends string = never>(options: MetricOptions<Name>): Counter<Name>;
  gauge<Name extends string = never>(options: MetricOptions<Name>): Gauge<Name>;
  histogram<Name extends string = never>(options: HistogramOptions<Name>): Histogram<Name>;
  /** All of them as `/metrics` serves them, under `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Metrics of one process, with those of the process itself. A name can be declared once. */
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
