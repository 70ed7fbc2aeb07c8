export interface FleetletCommandOptions {
  readonly platform: URL;
  readonly token: string;
  readonly targets: readonly string[];
  readonly type: string;
  /** As this machine knows it; the path may differ on the other machine. */
  readonly caFile: string | undefined;
}

/** Needs no quotes in any shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** The command that enrols a machine. The token is a variable: other users of a machine can see the flags of a process. */
export function fleetletCommand({ platform, token, targets, type, caFile }: FleetletCommandOptions): string {
  const isPlain = platform.protocol === 'http:';
  const names = targets.length === 0 ? ['NAME'] : targets;
  return [
    `FLEETSHIFT_BOOTSTRAP_TOKEN=${token}`,
    'fleetshift fleetlet',
    `--platform ${quoted(platform.origin)}`,
    ...(isPlain ? ['--insecure'] : []),
    ...(caFile === undefined || isPlain ? [] : [`--ca-file ${quoted(caFile)}`]),
    `--target ${quoted(names.map((name) => `${name}=${type}`).join(','))}`,
  ].join(' ');
}

function quoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
