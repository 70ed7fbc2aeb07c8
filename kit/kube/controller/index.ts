export type { ObjectController, ReconcileKey, WakeObject } from './controller.ts';
export { ControllerBuilder, type ControllerDeps, type WatchedOptions } from './controller-builder.ts';
export { CONTROLLER_ERRORS, ControllerError, type ControllerErrorCode } from './controller-error.ts';
export { type ControllerMetrics, createControllerMetrics } from './controller-metrics.ts';
export { Expectations, type ExpectationsOptions } from './expectations.ts';
export { formatKey, keyOf, parseKey } from './object-key.ts';
export { annotationsChanged, anyOf, generationChanged, labelsChanged, type Predicate } from './predicates.ts';
export { countRequests } from './request-metrics.ts';
export type { Mapper } from './watch-source.ts';
