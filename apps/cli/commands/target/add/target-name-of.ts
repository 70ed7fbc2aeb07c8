import { RESOURCE_NAME_MAX_LENGTH } from '#kit/std';

/** What a context is called may be an address, or a path; of a target it is a name. Undefined when nothing is left. */
export function targetNameOf(context: string): string | undefined {
  const name = context
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, RESOURCE_NAME_MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? undefined : name;
}
