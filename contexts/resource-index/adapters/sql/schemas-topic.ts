/** Announced with each change of the index schemas. */
export const SCHEMAS_TOPIC = 'index-schemas';
