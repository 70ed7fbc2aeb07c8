// A separate entry point: the metrics module is large, and small processes must not load it.
export { createMetrics } from './metrics.ts';
