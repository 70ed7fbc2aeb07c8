import type { Brand } from './brand.ts';
import { excerpt } from './excerpt.ts';
import { StdError } from './std-error.ts';

/** A name chosen by a user: lower-case letters, digits and inner hyphens, so that it is also a DNS label. */
export type ResourceName = Brand<string, 'ResourceName'>;

/** For schemas: a JSON Schema `pattern` and `maxLength` that accept exactly the same names as `parseResourceName`. */
export const RESOURCE_NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const RESOURCE_NAME_MAX_LENGTH = 63;

const PATTERN = new RegExp(RESOURCE_NAME_PATTERN);

export function parseResourceName(raw: string): ResourceName {
  if (isResourceName(raw)) return raw;
  throw new StdError(
    'INVALID_NAME',
    `read ${excerpt(raw)} as a name: use 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end`,
  );
}

function isResourceName(raw: string): raw is ResourceName {
  return raw.length <= RESOURCE_NAME_MAX_LENGTH && PATTERN.test(raw);
}
