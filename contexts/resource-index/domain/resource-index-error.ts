import { type Catalogue, type CatalogueEntry, type FieldFault, FleetError } from '#kit/std';

export const RESOURCE_INDEX_ERRORS = {
  INDEX_SCHEMA_NOT_FOUND: { category: 'not-found', retry: 'never' },
  INVALID_INDEX_SCHEMA: { category: 'invalid', retry: 'never' },
  INDEX_SCHEMA_CONFLICT: { category: 'conflict', retry: 'after-change' },
  TOO_MANY_INDEX_SCHEMAS: { category: 'exhausted', retry: 'after-change' },
  STORED_INDEX_INVALID: { category: 'internal', retry: 'never' },
  BAD_INDEX_MESSAGE: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

export type ResourceIndexErrorCode = keyof typeof RESOURCE_INDEX_ERRORS;

export class ResourceIndexError extends FleetError<ResourceIndexErrorCode> {
  get entry(): CatalogueEntry {
    return RESOURCE_INDEX_ERRORS[this.code];
  }
}

export function indexSchemaNotFound(name: string): ResourceIndexError {
  return new ResourceIndexError('INDEX_SCHEMA_NOT_FOUND', `There is no index schema ${name}.`);
}

export function invalidIndexSchema(faults: readonly FieldFault[]): ResourceIndexError {
  return new ResourceIndexError('INVALID_INDEX_SCHEMA', 'The index schema is invalid.', { faults });
}
