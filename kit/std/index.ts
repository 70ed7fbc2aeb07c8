export { assertNever } from './assert-never.ts';
export type { Brand } from './brand.ts';
export { callerNetwork } from './caller-network.ts';
export { canonicalJson, type Json, type JsonObject } from './canonical-json.ts';
export { type Clock, systemClock } from './clock.ts';
export { type BackoffPolicy, backoffDelay, type Random, type RetryOptions, retry } from './concurrency/backoff.ts';
export { BatchWriter, type BatchWriterOptions, type Patience, type Settled } from './concurrency/batch-writer.ts';
export { BoundedQueue, type BoundedQueueOptions, type WhenFull } from './concurrency/bounded-queue.ts';
export { CoalescingQueue } from './concurrency/coalescing-queue.ts';
export { FairShare, type FairShareLimits } from './concurrency/fair-share.ts';
export { type HandOver, handOver, type Persistence, persistenceWith } from './concurrency/hand-over.ts';
export { KeyedMutex } from './concurrency/keyed-mutex.ts';
export { Notifier } from './concurrency/notifier.ts';
export { ReadCache, type ReadCacheOptions } from './concurrency/read-cache.ts';
export { Mutex, Semaphore } from './concurrency/semaphore.ts';
export { aborted, unlessAborted } from './concurrency/unless-aborted.ts';
export { yieldIfLong } from './concurrency/yield-if-long.ts';
export { contentHash } from './content-hash.ts';
export { formatDuration, parseDuration } from './duration.ts';
export {
  type Catalogue,
  type CatalogueEntry,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type FieldFault,
  FleetError,
  type FleetErrorOptions,
  type Retry,
} from './errors.ts';
export type { EventSink } from './event-sink.ts';
export { foreignInteger, foreignList, foreignName, foreignText, foreignTexts } from './foreign-text.ts';
export { inPieces } from './in-pieces.ts';
export { type IpBytes, type IpNetwork, isInNetwork, parseIp, parseIpNetwork } from './ip-network.ts';
export { applyMergePatch, isJsonList, isJsonObject, mergePatch, sameJson } from './json-value.ts';
export {
  type LabelExpression,
  type LabelSelector,
  matchesSelector,
  SELECTOR_OPERATORS,
  type SelectorOperator,
  selectorFaults,
} from './label-selector.ts';
export {
  escapePointer,
  type Labels,
  type LabelsPatch,
  labelFaults,
  MAX_LABELS,
  mergeLabels,
  sameLabels,
  sortedLabels,
} from './labels.ts';
export { maskValues, textsIn, type ValueMask } from './mask-values.ts';
export type { Precondition, Versioned } from './precondition.ts';
export {
  parseResourceName,
  RESOURCE_NAME_MAX_LENGTH,
  RESOURCE_NAME_PATTERN,
  type ResourceName,
} from './resource-name.ts';
export { REDACTED, Secret, TOKEN_PREFIXES, timingSafeEqualText } from './secret.ts';
export { type SecretSource, secretSource } from './secret-source.ts';
export { type Sleep, sleep } from './sleep.ts';
export { STD_ERRORS, StdError, type StdErrorCode } from './std-error.ts';
export { createUuidv7, parseUuid, type RandomBytes, type Uuid, uuidv7, uuidv7Time } from './uuidv7.ts';
