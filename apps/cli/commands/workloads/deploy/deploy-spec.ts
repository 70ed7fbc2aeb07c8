import { suggestion } from '#kit/config';
import { isJsonObject } from '#kit/std';
import { UsageError } from '../../../command.ts';
import type { Resource } from '../../../kinds/kind.ts';
import { LabelSelector } from '../../../kinds/label-selector.ts';

/** The flags of a deployment. Unset flags leave a field unchanged, or at the default of the platform. */
export interface DeployFlags {
  /** Documents to deliver, unchanged. */
  readonly documents?: readonly unknown[] | undefined;
  /** The text of a template, instead of documents. */
  readonly template?: string | undefined;
  readonly values?: unknown;
  /** Single template values, each as `greeting=hi`. */
  readonly set?: readonly string[];
  readonly to?: string | undefined;
  readonly toTargets: readonly string[];
  readonly toAll: boolean;
  readonly rollout?: RolloutType | undefined;
  readonly batchSize?: string | undefined;
  readonly maxUnavailable?: string | undefined;
  readonly maxFailures?: string | undefined;
  readonly maxConcurrency?: string | undefined;
  readonly namespace?: string | undefined;
}

export const ROLLOUT_TYPES = ['immediate', 'rolling'] as const;
export type RolloutType = (typeof ROLLOUT_TYPES)[number];

/** The fields that the flags set, as in a document; for an existing deployment, based on its current fields. */
export function deploySpec(flags: DeployFlags, current: Resource = {}): Resource {
  const spec = {
    manifest: withValues(manifestOf(flags), flags, current),
    placement: placementOf(flags),
    rollout: rolloutOf(flags, current['rollout']),
    namespace: flags.namespace,
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function manifestOf({ documents, template, values }: DeployFlags): Resource | undefined {
  if (documents !== undefined && template !== undefined) {
    throw new UsageError('--file and --template: choose one; a template is a file of documents as well');
  }
  if (values !== undefined && template === undefined) throw new UsageError('--values requires --template');
  if (template !== undefined) return { type: 'template', template, ...(values === undefined ? {} : { values }) };
  return documents === undefined ? undefined : { type: 'inline', documents };
}

/** Single values are merged into the given values, or else into those of the existing template. */
function withValues(said: Resource | undefined, { set = [] }: DeployFlags, current: Resource): Resource | undefined {
  if (set.length === 0) return said;
  const manifest = said ?? (isJsonObject(current['manifest']) ? current['manifest'] : {});
  if (manifest['type'] !== 'template') {
    throw new UsageError('--set changes template values, and this deployment has no template; use --template');
  }
  const values = isJsonObject(manifest['values']) ? manifest['values'] : {};
  const { template } = manifest;
  if (typeof template === 'string') for (const word of set) refuseUnused(word, values, template);
  return { ...manifest, values: set.reduce<Resource>(withValue, values) };
}

/** A value that nothing reads is a typing error, which a new revision with the same content would hide. */
function refuseUnused(word: string, values: Resource, template: string): void {
  const path = word.replace(/=.*/s, '');
  const read = [...template.matchAll(/\bvalues((?:\.[\w-]+)*)/g)].map(([, names = '']) => names.slice(1));
  // `values` alone may be read as a whole, as may each map in it.
  const isRead = read.some((each) => each === '' || isWithin(path, each) || isWithin(each, path));
  const [first = ''] = path.split('.');
  if (isRead || Object.hasOwn(values, first)) return;
  const names = [...new Set([...Object.keys(values), ...read])].sort();
  const has = names.length === 0 ? 'no values' : `the values ${names.join(', ')}`;
  throw new UsageError(`--set: the template has no value "${path}", it has ${has}${suggestion(path, names)}`);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}

/** `app.replicas=3` sets a number inside `app`. */
function withValue(values: Resource, word: string): Resource {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`--set: "${word}" is not of the form greeting=hello`);
  const put = (into: Resource, [name = '', ...deeper]: readonly string[], value: unknown): Resource => {
    const inner = into[name];
    return { ...into, [name]: deeper.length === 0 ? value : put(isJsonObject(inner) ? inner : {}, deeper, value) };
  };
  return put(values, word.slice(0, at).split('.'), scalarOf(word.slice(at + 1)));
}

/** Parsed as in a values file: a number, a boolean or a string. */
function scalarOf(text: string): unknown {
  if (/^(true|false|-?\d+(\.\d+)?)$/.test(text)) return JSON.parse(text);
  return text;
}

function placementOf({ to, toTargets, toAll }: DeployFlags): readonly Resource[] | undefined {
  const said = [to !== undefined, toTargets.length > 0, toAll].filter(Boolean).length;
  if (said > 1) throw new UsageError('--to, --to-targets and --to-all: choose one');
  if (toAll) return [{ type: 'all' }];
  if (toTargets.length > 0) return [{ type: 'static', targets: toTargets }];
  return to === undefined ? undefined : [{ type: 'selector', ...LabelSelector.parse(to, '--to').toSelector() }];
}

/** A budget alone leaves the rest of the rollout unchanged. */
function rolloutOf(flags: DeployFlags, current: unknown): Resource | undefined {
  const said = {
    batchSize: shareOf('--batch-size', flags.batchSize),
    maxUnavailable: shareOf('--max-unavailable', flags.maxUnavailable),
    maxFailures: shareOf('--max-failures', flags.maxFailures),
    maxConcurrency: shareOf('--max-concurrency', flags.maxConcurrency),
  };
  const fields = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  const before: Resource = isJsonObject(current) ? current : { type: 'immediate' };
  const type = flags.rollout ?? (flags.batchSize === undefined ? undefined : 'rolling');
  if (type === undefined && Object.keys(fields).length === 0) return undefined;
  const isSame = type === undefined || type === before['type'];
  const rollout: Resource = { ...(isSame ? before : { type }), ...fields };
  if (rollout['type'] === 'rolling' && rollout['batchSize'] === undefined) {
    throw new UsageError('--rollout rolling requires --batch-size, as 5 or 10%');
  }
  if (rollout['type'] !== 'rolling' && flags.batchSize !== undefined) {
    throw new UsageError('--batch-size requires --rollout rolling');
  }
  return rollout;
}

/** `5` is a number of targets, `10%` a percentage. */
function shareOf(flag: string, text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (/^(\d{1,2}|100)%$/.test(text)) return text;
  throw new UsageError(`${flag}: "${text}" is neither a number of targets, such as 5, nor a percentage, such as 10%`);
}
