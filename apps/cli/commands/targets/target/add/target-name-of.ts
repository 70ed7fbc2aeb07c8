import { RESOURCE_NAME_MAX_LENGTH } from '#kit/std';

/**
 * Turns the name of a context, which may be an address or a path, into a name for a target. Undefined when no
 * characters are left.
 */
export function targetNameOf(context: string): string | undefined {
  const name = context
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, RESOURCE_NAME_MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? undefined : name;
}
