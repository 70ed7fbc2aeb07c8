import { uidOf } from '../a-workspace.ts';
import { type Step, timeOf, type Wanted } from '../workspace-api.ts';

/** A scenario that has to pass on every database. */
export interface Scenario {
  readonly why: string;
  readonly steps: readonly Step[];
}

export const ALL = '/v1/workspaces';

interface Sent {
  /** `?dryRun=true` */
  readonly query?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function post({ query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `POST ${ALL}${query}`, ...sent, want };
}

export function patch(name: string, { query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `PATCH ${ALL}/${name}${query}`, ...sent, want };
}

export function remove(name: string, { query = '', headers = {} }: Omit<Sent, 'body'>, want: Wanted): Step {
  return { call: `DELETE ${ALL}/${name}${query}`, headers, want };
}

/** Creates folders in the root, or as `child in parent`, or `domain acme in parent`. */
export function given(...trees: readonly string[]): Step[] {
  return trees.map((tree) => {
    const [what = '', parent = 'root'] = tree.split(' in ');
    const [name = '', kind = 'folder'] = what.split(' ').toReversed();
    return post({ body: { name, kind, parent } }, created(name));
  });
}

export function move(name: string, { query = '', ...sent }: Sent, want: Wanted): Step {
  return { call: `POST ${ALL}/${name}:move${query}`, ...sent, want };
}

export function there(name: string): Step {
  return { call: `GET ${ALL}/${name}`, want: { status: 200 } };
}

export function gone(name: string): Step {
  return { call: `GET ${ALL}/${name}`, want: refused(404, { code: 'workspaceNotFound' }) };
}

export function listed(query: string, ...names: readonly string[]): Step {
  return { call: `GET ${ALL}?${query}`, want: { status: 200, names } };
}

/** As a caller who does not see everything. */
export function seen(as: string, query: string, ...names: readonly string[]): Step {
  return { ...listed(query, ...names), headers: { authorization: `Bearer ${as}` } };
}

export function filtered(filter: string, ...names: readonly string[]): Step {
  return listed(`filter=${encodeURIComponent(filter)}`, ...names);
}

export function created(name: string): Wanted {
  return { status: 201, events: [`workspace.created ${name}`] };
}

export function moved(name: string): Wanted {
  return { status: 200, events: [`workspace.moved ${name}`] };
}

export function updated(name: string): Wanted {
  return { status: 200, events: [`workspace.updated ${name}`] };
}

export function refused(status: number, problem: NonNullable<Wanted['problem']>): Wanted {
  return { status, problem };
}

interface Expected extends Readonly<Record<string, unknown>> {
  readonly name: string;
  /** The number of the create step that made it, when only creates came before. */
  readonly nth?: number;
  /** The step that last changed it. */
  readonly step?: number;
  readonly version?: number;
}

/** A folder in the root, with overrides. Each create takes a uid for its workspace and one for its event. */
export function resource({ nth = 1, step = nth, version = 1, ...its }: Expected): object {
  const uid = uidOf(nth * 2 - 1);
  return {
    uid,
    kind: 'folder',
    parent: 'root',
    labels: {},
    createTime: timeOf(nth),
    updateTime: timeOf(step),
    generation: version,
    observedGeneration: version,
    etag: `${version}-${uid.slice(-12)}`,
    ...its,
  };
}
