export type { ObjectSource, SourceEvent } from './application/feed/object-source.ts';
export { type FeedFact, type FeedPace, TargetFeed } from './application/feed/target-feed.ts';
export type { IndexObserver } from './application/sink/ports.ts';
export { INDEX_EVENTS } from './domain/index-event.ts';
export type { Condition, Owner } from './domain/indexed-object.ts';
export type { ObservedObject } from './domain/observed-object.ts';
