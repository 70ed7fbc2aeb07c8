import { uidOf } from '../a-target.ts';
import { type Step, timeOf, type Wanted } from '../target-api.ts';

/** A scenario that has to pass on every database. */
export interface Scenario {
  readonly why: string;
  readonly steps: readonly Step[];
}

export const ALL = '/v1/targets';

interface Sent {
  /** `?dryRun=true` */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function post({ query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `POST ${ALL}${query}`, ...sent, want };
}

export function patch(name: string, { query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `PATCH ${ALL}/${name}${query}`, ...sent, want };
}

export function verb(call: string, { query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `POST ${ALL}/${call}${query}`, ...sent, want };
}

export function remove(name: string, { query = '', headers = {} }: Sent, want: Wanted): Step {
  return { call: `DELETE ${ALL}/${name}${query}`, headers, want };
}

/** Registers clusters in the root, or as `name in workspace`. */
export function given(...targets: readonly string[]): Step[] {
  return targets.map((text) => {
    const [name = '', workspace = 'root'] = text.split(' in ');
    return post({ body: { name, type: 'kubernetes', workspace } }, created(name, workspace));
  });
}

export function got(name: string, has: object): Step {
  return { call: `GET ${ALL}/${name}`, want: { status: 200, has } };
}

export function gone(name: string): Step {
  return { call: `GET ${ALL}/${name}`, want: refused(404, 'targetNotFound') };
}

export function listed(query: string, ...names: readonly string[]): Step {
  return { call: `GET ${ALL}?${query}`, want: { status: 200, names } };
}

export function filtered(filter: string, ...names: readonly string[]): Step {
  return listed(`filter=${encodeURIComponent(filter)}`, ...names);
}

/** As a caller who does not see everything. */
export function seen(as: string, query: string, ...names: readonly string[]): Step {
  return { ...listed(query, ...names), headers: { authorization: `Bearer ${as}` } };
}

export function created(name: string, workspace = 'root'): Wanted {
  return { status: 201, events: [`target.created ${name} in ${workspace}`] };
}

/** For a target in the root. */
export function updated(name: string, ...more: readonly string[]): Wanted {
  return { status: 200, events: ['target.updated', ...more].map((type) => `${type} ${name} in root`) };
}

export function refused(status: number, code: string, ...faults: readonly string[]): Wanted {
  return { status, problem: { code, ...(faults.length === 0 ? {} : { faults }) } };
}

interface Expected extends Readonly<Record<string, unknown>> {
  readonly name: string;
  /** The number of the create step that made it, when only creates came before. */
  readonly nth?: number;
  /** The step that last changed it. */
  readonly step?: number;
  readonly version?: number;
}

/** A cluster in the root, with overrides. Each create takes a uid for its target and one for its event. */
export function resource({ nth = 1, step = nth, version = 1, ...its }: Expected): object {
  const uid = uidOf(nth * 2 - 1);
  return {
    uid,
    type: 'kubernetes',
    workspace: 'root',
    labels: {},
    reportedLabels: {},
    properties: {},
    reportedProperties: {},
    advertisedManifestTypes: [],
    lifecycle: 'Active',
    connection: { state: 'NeverConnected' },
    conditions: [],
    createTime: timeOf(nth),
    updateTime: timeOf(step),
    generation: version,
    observedGeneration: version,
    etag: `${version}-${uid.slice(-12)}`,
    ...its,
  };
}
