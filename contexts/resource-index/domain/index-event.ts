export const INDEX_EVENTS = ['indexSchema.created', 'indexSchema.updated', 'indexSchema.deleted'] as const;
export type IndexEventType = (typeof INDEX_EVENTS)[number];
