export type RequestKind = 'read' | 'write';

export interface AskedRequest {
  readonly method: string;
  /** Relative to the root of the API server, with or without a query. */
  readonly path: string;
  readonly isUpgrade: boolean;
}

/** Requests that last until one side ends them. */
export const STREAM_KINDS = ['watch', 'log', 'exec', 'attach', 'portforward', 'proxy'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** These access a workload, whatever the method. */
const REACHING_IN: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);
/** Reviews of the caller itself, which use POST: `kubectl auth can-i`, `kubectl auth whoami`. */
const ABOUT_ONESELF =
  /^\/apis\/(?:authorization\.k8s\.io\/[^/]+\/selfsubject(?:access|rules)reviews|authentication\.k8s\.io\/[^/]+\/selfsubjectreviews)$/;

/**
 * Whether read access is enough for the request. In doubt it is a write: a path that the API server might parse
 * differently, or a connection upgrade.
 */
export function kindOf({ method, path, isUpgrade }: AskedRequest): RequestKind {
  if (isUpgrade) return 'write';
  const segments = segmentsOf(path);
  if (segments === undefined) return 'write';
  if (method === 'POST' && ABOUT_ONESELF.test(`/${segments.join('/')}`)) return 'read';
  return READING.has(method) && !reachesIn(segments) ? 'read' : 'write';
}

/**
 * Detects reads of Secrets: one, a list or a watch, in a namespace or in all. Returns the decoded path, independent of
 * its encoding; `undefined` for other requests.
 */
export function secretsIn(path: string): string | undefined {
  const segments = segmentsOf(path);
  if (segments?.[0] !== 'api') return undefined;
  const [first, ...rest] = segments.slice(2);
  const place = first === 'watch' ? rest : [first, ...rest];
  const [resource] = place[0] === 'namespaces' && place.length > 2 ? place.slice(2) : place;
  return resource === 'secrets' ? `/${segments.join('/')}` : undefined;
}

/** By the path; `undefined` for requests that end by themselves. Only a label: no decision depends on it. */
export function streamKindOf(path: string): StreamKind | undefined {
  const segments = segmentsOf(path) ?? [];
  const query = new URLSearchParams(path.split('?', 2)[1] ?? '');
  const subresource = STREAM_KINDS.find(
    (kind) => kind === segments.at(-1) || (kind === 'proxy' && reachesIn(segments)),
  );
  if (subresource !== undefined && subresource !== 'watch') return subresource;
  return ['true', '1'].includes(query.get('watch') ?? '') || segments[2] === 'watch' ? 'watch' : undefined;
}

/** Decoded, as the server sees them; `undefined` when they are ambiguous. */
function segmentsOf(path: string): readonly string[] | undefined {
  const plain = path.split('?', 1)[0] ?? '';
  const raw = plain.slice(1).split('/');
  if (raw.at(-1) === '') raw.pop();
  const segments: string[] = [];
  for (const each of raw) {
    const segment = decoded(each);
    if (segment === undefined || segment === '' || segment === '.' || segment === '..') return undefined;
    if (/[/\\\0]/.test(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `[root, version]`, then perhaps a namespace, then `resource, name, subresource`. */
function reachesIn(segments: readonly string[]): boolean {
  const ofGroup = segmentsOfGroup(segments);
  if (ofGroup === undefined) return false;
  const [first] = ofGroup;
  // The form of old servers, with the verb first.
  if (first === 'proxy') return true;
  const place = first === 'watch' ? ofGroup.slice(1) : ofGroup;
  const inNamespace = place[0] === 'namespaces' && place.length > 2 ? place.slice(2) : place;
  const [, , subresource = ''] = inNamespace;
  // Subresources of a namespace itself.
  return REACHING_IN.has(subresource) || (inNamespace !== place && REACHING_IN.has(inNamespace[0] ?? ''));
}

function segmentsOfGroup(segments: readonly string[]): readonly string[] | undefined {
  if (segments[0] === 'api') return segments.slice(2);
  return segments[0] === 'apis' ? segments.slice(3) : undefined;
}
