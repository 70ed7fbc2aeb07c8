import { OLDEST_PROTOCOL_VERSION, type OpenFrame, PROTOCOL_VERSION } from './frame.ts';

export interface VersionRange {
  readonly version: number;
  readonly oldestVersion: number;
}

export type Negotiated =
  | { readonly kind: 'agreed'; readonly version: number }
  /** A sentence for the operators of the other end, with both version ranges. */
  | { readonly kind: 'none'; readonly message: string };

const OURS: VersionRange = { version: PROTOCOL_VERSION, oldestVersion: OLDEST_PROTOCOL_VERSION };

/**
 * The highest version that both ends support.
 *
 * DECISION: a release supports every version that either of the two previous releases supported, so that fleetlets can be
 * upgraded after the platform and at leisure. `OLDEST_PROTOCOL_VERSION` is raised only once the last release that supported no
 * newer version is three releases old.
 */
export function negotiate(theirs: Pick<OpenFrame, 'version' | 'oldestVersion'>, ours: VersionRange = OURS): Negotiated {
  const version = Math.min(theirs.version, ours.version);
  if (version >= ours.oldestVersion && version >= theirs.oldestVersion) return { kind: 'agreed', version };
  const older = theirs.version < ours.version ? 'the other end' : 'this end';
  return {
    kind: 'none',
    message: `this end supports ${say(ours)} of the protocol, the other ${say(theirs)}: upgrade ${older}`,
  };
}

function say({ version, oldestVersion }: VersionRange): string {
  return version === oldestVersion ? `version ${version}` : `versions ${oldestVersion} to ${version}`;
}
