import { type TObject, type TSchema, Type } from 'typebox';
import { suggestion } from '#kit/config';
import { isJsonObject, RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';
import { UsageError } from '../command.ts';
import type { ApplyRules, Kind, Resource } from '../kinds/kind.ts';
import { KINDS } from '../kinds/kinds.ts';
import { workspaceOf } from '../kinds/place.ts';
import { pathOf } from '../kinds/read-one.ts';
import type { ApplyDocument, RawDocument } from './document.ts';
import { schemaFaults } from './schema-faults.ts';

export interface Workspaces {
  /** Set by a flag. A document with a different place is refused. */
  readonly said: string | undefined;
  /** The default when neither a flag nor the document names one. */
  readonly meant: string | undefined;
}

const NAME = Type.String({ pattern: RESOURCE_NAME_PATTERN, maxLength: RESOURCE_NAME_MAX_LENGTH });

/** Returns all documents, or throws one error that lists every problem: nothing is sent until all are valid. */
export async function checkDocuments(raw: readonly RawDocument[], workspaces: Workspaces): Promise<ApplyDocument[]> {
  const documents: ApplyDocument[] = [];
  const faults: string[] = [];
  const seen = new Map<string, string>();
  for (const each of raw) {
    const checked = await checkDocument(each, workspaces);
    if ('faults' in checked) {
      faults.push(...checked.faults.map((fault) => `${each.where}: ${fault}`));
      continue;
    }
    const path = pathOf(checked, checked.place).join('/');
    const earlier = seen.get(path);
    if (earlier !== undefined) faults.push(`${each.where}: ${checked.key} is in ${earlier} as well`);
    seen.set(path, each.where);
    documents.push(checked);
  }
  if (faults.length === 0) return documents;
  throw new UsageError(['nothing was sent:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
}

const TO_DELIVER = 'use "fleetshift deploy NAME --file FILE --to LABELS", or put it into the manifest of a Deployment';

type Checked = ApplyDocument | { readonly faults: readonly string[] };

async function checkDocument(raw: RawDocument, workspaces: Workspaces): Promise<Checked> {
  if ('fault' in raw) return { faults: [raw.fault] };
  const { where, content } = raw;
  if (!isJsonObject(content)) return { faults: ['a document must be a map with kind, name and spec'] };
  const { apiVersion, kind: word } = content;
  if (typeof apiVersion === 'string' && apiVersion !== '' && typeof word === 'string')
    return { faults: [`it is a Kubernetes object (${apiVersion}, ${word}), to be delivered; ${TO_DELIVER}`] };
  const found = kindOf(word);
  if (typeof found === 'string') return { faults: [found] };
  const { kind, rules } = found;
  const faults = [
    ...schemaFaults(await documentSchema(rules), withoutNulls(content), ''),
    ...nullFaults(content['spec'], rules),
  ];
  if (faults.length > 0) return { faults };
  const { name, spec = {} } = content as { readonly name: string; readonly spec?: Resource };
  const place = placeIn(content, rules, workspaces);
  if (typeof place === 'string') return { faults: [place] };
  return { kind, rules, name, place, spec, key: `${kind.name}/${name}`, where };
}

function kindOf(word: unknown): { kind: Kind; rules: ApplyRules<Resource> } | string {
  const titles = KINDS.flatMap(({ title, apply }) => (apply === undefined ? [] : [title]));
  for (const kind of KINDS) {
    if (kind.title === word && kind.apply !== undefined) return { kind, rules: kind.apply };
  }
  if (typeof word !== 'string') return `/kind is missing; it is one of ${titles.join(', ')}`;
  return `/kind "${word}" is not one of ${titles.join(', ')}${suggestion(word, titles)}`;
}

async function documentSchema({ spec: loadSpec, place = [] }: ApplyRules<Resource>): Promise<TObject> {
  const spec = await loadSpec();
  const places = place.map((field): [string, TSchema] => [field, Type.Optional(NAME)]);
  const needed = (spec.required ?? []).length > 0;
  return Type.Object({
    kind: Type.String(),
    name: NAME,
    ...Object.fromEntries(places),
    spec: needed ? spec : Type.Optional(spec),
  });
}

/** `null` removes a field, as in a patch: `region: null`. */
function nullFaults(spec: unknown, { patched }: ApplyRules<Resource>): string[] {
  const nulls = Object.entries(isJsonObject(spec) ? spec : {}).filter(([, value]) => value === null);
  return nulls.flatMap(([field]) => (patched.includes(field) ? [] : [`/spec/${field} cannot be null; leave it out`]));
}

function withoutNulls(content: Resource): Resource {
  const spec = content['spec'];
  if (!isJsonObject(spec)) return content;
  return { ...content, spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)) };
}

function placeIn(content: Resource, { place: fields = [] }: ApplyRules<Resource>, { said, meant }: Workspaces) {
  if (fields.length === 0) return {};
  const { workspace, target } = content as { readonly workspace?: string; readonly target?: string };
  if (target !== undefined) return workspace === undefined ? { target } : 'set either /workspace or /target, not both';
  if (workspace !== undefined && said !== undefined && workspace !== said) {
    return `/workspace is ${workspace}, and --workspace says ${said}; leave out one of them`;
  }
  const place = { workspace: workspace ?? said ?? meant };
  try {
    workspaceOf(place);
    return place;
  } catch {
    return '/workspace is missing; say it there, with -w, or in the context';
  }
}
