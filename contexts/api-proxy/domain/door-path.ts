/** The prefix of all proxied paths; no route of the REST API is below it. */
export const DOOR_PREFIX = '/targets/';

export interface DoorPath {
  /** As in the path: whether the target exists is checked elsewhere. */
  readonly target: string;
  /** The path for the API server with its query, byte for byte. */
  readonly path: string;
}

const DOOR = /^\/targets\/([^/?#]+)\/api(?=[/?]|$)(.*)$/;

/** `/targets/{target}/api` and all below it; `undefined` for anything else. */
export function parseDoorPath(url: string): DoorPath | undefined {
  const [, target, rest = ''] = DOOR.exec(url) ?? [];
  if (target === undefined) return undefined;
  return { target, path: rest.startsWith('/') ? rest : `/${rest}` };
}
