/** This process has committed events. */
export const APPENDED = 'outbox';

/** Events got their positions; announced to every process. */
export const SEQUENCED = 'outbox.sequenced';

/** Deferred events were made due outside the dispatcher. */
export const REPLAYED = 'outbox.replayed';

/** A dispatcher released a consumer, which can now be claimed. */
export const RELEASED = 'outbox.released';
