/** Events were committed by this process. */
export const APPENDED = 'outbox';

/** Events got their positions; every process hears it. */
export const SEQUENCED = 'outbox.sequenced';

/** Someone outside the dispatcher made deferred events due. */
export const REPLAYED = 'outbox.replayed';

/** A consumer was given up by its dispatcher, and may be claimed. */
export const RELEASED = 'outbox.released';
