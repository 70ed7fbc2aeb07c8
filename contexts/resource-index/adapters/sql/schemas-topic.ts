/** Announced with each change of what is to be indexed. */
export const SCHEMAS_TOPIC = 'index-schemas';
