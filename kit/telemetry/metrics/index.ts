// A door of its own: what is behind it is large, and small processes have no metrics.
export { createMetrics } from './metrics.ts';
