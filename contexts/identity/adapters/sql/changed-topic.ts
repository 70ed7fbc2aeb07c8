/** Announced with every write after which somebody is taken no longer, or otherwise: caches are emptied then. */
export const CHANGED_TOPIC = 'identity';
