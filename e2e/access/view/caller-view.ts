import type { Operation } from '#testing/openapi/api-description';
import { PATIENCE_MS } from '#testing/patience';
import type { Platform, PlatformRequest } from '#testing/platform-process';
import type { Attempts } from '../attempt.ts';
import { ask } from '../callers.ts';
import { OPERATION_CASES, type Place } from '../operation-cases.ts';

export interface ViewOptions {
  readonly platform: Platform;
  readonly operations: readonly Operation[];
  readonly attempts: Attempts;
  readonly token: string;
  readonly places: readonly Place[];
  /** The event to read up to; the caller may see it. */
  readonly lastEvent: string;
}

/** Requests, and the whole answer to each. */
export type View = ReadonlyMap<string, string>;

const PAGE_SIZES = [1, 2, 1000];

/** Everything a caller can find out: every operation on every place, lists with every page size, and the event stream. */
export async function wholeView(options: ViewOptions): Promise<View> {
  const { operations, attempts, places } = options;
  const view = new Map<string, string>();
  for (const operation of operations) {
    if (OPERATION_CASES[operation.id] === undefined || operation.id === 'streamEvents') continue;
    for (const place of places) {
      const { path, init } = attempts(operation, place);
      view.set(
        `${place.name}: ${init.method} ${path} ${JSON.stringify(init.body ?? {})}`,
        await answerTo(options, path, init),
      );
    }
  }
  for (const path of listsIn(places)) {
    for (const size of PAGE_SIZES) view.set(`${path} by ${size}`, await pagesOf(options, path, size));
  }
  view.set('events', await eventsOf(options));
  return view;
}

/** Lists with parameters that name an object, and with filters. */
function listsIn(places: readonly Place[]): string[] {
  const filters = ['name.startsWith("r")', 'name != "nothing"'].map((filter) => `filter=${encodeURIComponent(filter)}`);
  const general = ['', ...filters.map((filter) => `?${filter}`)];
  const byPlace = places.flatMap(({ params, other }) => [
    ...[params['workspace'], other].flatMap((name) => [
      `/v1/workspaces?parent=${name}`,
      `/v1/workspaces?parent=${name}&subtree=true`,
      `/v1/targets?workspace=${name}`,
      `/v1/targets?workspace=${name}&subtree=true`,
      `/v1/audit?workspace=${name}`,
      `/v1/usage?workspace=${name}`,
      `/v1/usage?workspace=${name}&subtree=true`,
      `/v1/workspaces/${name}/grants?inherited=true`,
      `/v1/workspaces/${name}/deployments?subtree=true`,
      `/v1/workspaces/${name}/approvals`,
      `/v1/workspaces/${name}/bootstrap-tokens`,
      `/v1/workspaces/${name}/index-schemas`,
    ]),
    ...['revisions', 'targets', 'revisions/1/timeline'].map(
      (list) => `/v1/workspaces/${params['workspace']}/deployments/${params['deployment']}/${list}`,
    ),
    `/v1/targets/${params['target']}/scores`,
    `/v1/targets/${params['target']}/index`,
    `/v1/audit?resource=/v1/targets/${params['target']}`,
    `/v1/targets/${params['target']}/grants?inherited=true`,
  ]);
  return [
    ...general.flatMap((query) =>
      ['workspaces', 'targets', 'deployments', 'fleetlets'].map((list) => `/v1/${list}${query}`),
    ),
    '/v1/approvals',
    '/v1/audit',
    '/v1/audit?outcome=denied',
    '/v1/usage',
    '/v1/sessions',
    ...byPlace,
  ];
}

async function answerTo({ platform, token }: ViewOptions, path: string, init: PlatformRequest): Promise<string> {
  const answer = await ask(platform, token, path, init);
  return `${answer.status} ${await answer.text()}`;
}

/** The whole list, page by page: the length of each page and the presence of a next one could reveal something too. */
async function pagesOf(options: ViewOptions, path: string, pageSize: number): Promise<string> {
  const pages: string[] = [];
  let token: string | undefined;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const next = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`;
    const page = await answerTo(options, `${path}${separator}pageSize=${pageSize}${next}`, {});
    pages.push(page);
    token = /"nextPageToken":"([^"]+)"/.exec(page)?.[1];
  } while (token !== undefined);
  return pages.join('\n');
}

/** All frames of the stream from its beginning to the last event, including those between events. */
async function eventsOf({ platform, token, lastEvent }: ViewOptions): Promise<string> {
  const hangUp = new AbortController();
  const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const answer = await ask(platform, token, '/v1/events?from=beginning', { signal });
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.slice(0, text.lastIndexOf('\n\n')).includes(lastEvent)) break;
    }
  } finally {
    hangUp.abort();
  }
  return `${answer.status} ${text.slice(0, text.lastIndexOf('\n\n'))}`;
}
