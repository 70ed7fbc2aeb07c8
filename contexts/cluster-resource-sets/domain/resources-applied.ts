import { type Failure, type FailureKind, showFailure } from './failure.ts';

type Reason = 'NotApplied' | 'WrongSecretType' | 'InternalError';

/** The reasons of a failure in both generations of conditions. */
interface Words {
  readonly reason: Reason;
  readonly legacyReason: string;
  readonly severity: 'Error' | 'Warning';
}

/** In order of precedence: the first kind that occurs gives the reason. */
const WORDS: readonly (readonly [FailureKind, Words])[] = [
  ['wrong-secret-type', words('WrongSecretType', 'WrongSecretType')],
  ['selector-unreadable', words('InternalError', 'ClusterMatchFailed')],
  ['resource-missing', words('InternalError', 'RetrievingResourceFailed')],
  ['resource-unavailable', words('InternalError', 'RetrievingResourceFailed')],
  ['cluster-unreachable', words('InternalError', 'RemoteClusterClientFailed', 'Error')],
  ['broken-off', words('InternalError', 'ApplyFailed')],
  ['resource-unreadable', words('NotApplied', 'ApplyFailed')],
  ['strategy-unknown', words('NotApplied', 'ApplyFailed')],
  ['not-applied', words('NotApplied', 'ApplyFailed')],
  ['not-pruned', words('NotApplied', 'ApplyFailed')],
];

/** Verdict on a set, over all its clusters. */
export type ResourcesApplied =
  | { readonly kind: 'applied' }
  | ({ readonly kind: 'not'; readonly message: string } & Words);

/** Limits the number of named failures: if a whole fleet loses its network, the message must stay small. */
const NAMED = 10;
const LONGEST_CHARS = 1_000;

/** One verdict over all clusters: a failure anywhere counts, regardless of the order in which clusters were checked. */
export function resourcesApplied(failures: readonly Failure[]): ResourcesApplied {
  const worst = WORDS.find(([kind]) => failures.some((failure) => failure.kind === kind));
  if (worst === undefined) return { kind: 'applied' };
  return { kind: 'not', message: messageOf(failures), ...worst[1] };
}

function messageOf(failures: readonly Failure[]): string {
  const sorted = failures.toSorted((a, b) => rank(a) - rank(b) || compare(showFailure(a), showFailure(b)));
  const texts = [...new Set(sorted.map(showFailure))];
  const named = texts.slice(0, NAMED).map(shortened);
  const more = texts.length - named.length;
  return more === 0 ? named.join('; ') : `${named.join('; ')}; and ${more} more`;
}

function rank({ kind }: Failure): number {
  return WORDS.findIndex(([each]) => each === kind);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function shortened(text: string): string {
  return text.length <= LONGEST_CHARS ? text : `${text.slice(0, LONGEST_CHARS)}...`;
}

function words(reason: Reason, legacyReason: string, severity: Words['severity'] = 'Warning'): Words {
  return { reason, legacyReason, severity };
}
