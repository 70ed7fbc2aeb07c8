/** Announced with every write that changes who is authenticated: all processes then empty their caches. */
export const CHANGED_TOPIC = 'identity';
