import { contentHash, RESOURCE_NAME_MAX_LENGTH } from '#kit/std';

const HASH_LENGTH = 10;

/** The name of a child's deployment: `<group>-<child>`. If that is too long, its beginning and a hash of the whole. */
export function childName(group: string, child: string): string {
  const name = `${group}-${child}`;
  if (name.length <= RESOURCE_NAME_MAX_LENGTH) return name;
  const hash = contentHash(name).slice('sha256:'.length).slice(0, HASH_LENGTH);
  const beginning = name.slice(0, RESOURCE_NAME_MAX_LENGTH - HASH_LENGTH - 1).replace(/-+$/, '');
  return `${beginning}-${hash}`;
}
