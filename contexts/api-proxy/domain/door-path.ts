/** Where the doors are; everything below is ours, and nothing of it is known to the REST API. */
export const DOOR_PREFIX = '/targets/';

export interface DoorPath {
  /** As it stands there: whether there is such a target is for others to say. */
  readonly target: string;
  /** As the API server has it, with its query, byte for byte. */
  readonly path: string;
}

const DOOR = /^\/targets\/([^/?#]+)\/api(?=[/?]|$)(.*)$/;

/** `/targets/{target}/api` and all below it; `undefined` for anything else. */
export function parseDoorPath(url: string): DoorPath | undefined {
  const [, target, rest = ''] = DOOR.exec(url) ?? [];
  if (target === undefined) return undefined;
  return { target, path: rest.startsWith('/') ? rest : `/${rest}` };
}
