import { type HostPort, printHostPort } from '#kit/config';

export interface BannerFacts {
  readonly version: string;
  readonly http: HostPort | undefined;
  readonly https: HostPort | undefined;
  /** The gRPC address for fleetlets. */
  readonly fleetlets?: HostPort | undefined;
  readonly data: string;
  readonly database: string;
  readonly tokenFile: string | undefined;
  readonly authorityFile: string | undefined;
}

/** The first facts for a user at a terminal. Never shows the token itself. */
export function banner(facts: BannerFacts): string {
  const urls = urlsOf(facts);
  const rows = [
    ['API', urls.join('  ')],
    ['Docs', `${urls[0]}/docs`],
    ['Fleet', facts.fleetlets && reachable(facts.fleetlets)],
    ['Token', facts.tokenFile],
    ['Trust', facts.authorityFile],
    ['Data', `${facts.data} (${facts.database})`],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [`  ${name.padEnd(7)}${value}`]));
  return [`FleetShift ${facts.version}`, ...rows, ''].join('\n');
}

export function urlsOf({ http, https }: Pick<BannerFacts, 'http' | 'https'>): string[] {
  return [
    ...(http === undefined ? [] : [`http://${reachable(http)}`]),
    ...(https === undefined ? [] : [`https://${reachable(https)}`]),
  ];
}

/** A client cannot connect to "all addresses"; from this machine, localhost is one of them. */
function reachable({ host, port }: HostPort): string {
  return printHostPort({ host: host === '0.0.0.0' || host === '::' ? 'localhost' : host, port });
}
