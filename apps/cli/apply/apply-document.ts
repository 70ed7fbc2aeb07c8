import { Type } from 'typebox';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import type { Resource } from '../kinds/kind.ts';
import { pathOf, readOne } from '../kinds/read-one.ts';
import type { ApplyDocument } from './document.ts';
import { planChange } from './plan-change.ts';

export type Outcome = 'created' | 'configured' | 'unchanged';

export interface Applying {
  readonly api: ApiClient;
  readonly document: ApplyDocument;
  readonly dryRun: boolean;
}

/** Attempts when another client changes the resource at the same time; each attempt reads it again. */
const TRIES = 3;

/** Creates the resource, or changes it to match the document. */
export async function applyDocument(applying: Applying, signal: AbortSignal): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const current = await find(applying, signal);
    try {
      if (applying.document.rules.put) return await put(applying, current, signal);
      return current === undefined ? await create(applying, signal) : await change(applying, current, signal);
    } catch (error) {
      const isConflict = error instanceof ClientError && error.code === 'CONFLICT';
      if (!isConflict || attempt === TRIES) throw error;
      // If the resource is unchanged since the attempt, another attempt would be refused as well.
      if ((await find(applying, signal))?.['etag'] === current?.['etag']) throw error;
    }
  }
}

async function find({ api, document }: Applying, signal: AbortSignal): Promise<Resource | undefined> {
  try {
    return await readOne(api, document, signal);
  } catch (error) {
    if (error instanceof ClientError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

async function put(
  { api, document, dryRun }: Applying,
  current: Resource | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, place, spec } = document;
  const call = { path: pathOf(document, place), body: withoutNulls(spec), query: preview(dryRun), ...match(current) };
  const now = (await api.put(kind.schema, call, signal)) as Resource;
  return current === undefined ? 'created' : outcome(current, now);
}

async function create({ api, document, dryRun }: Applying, signal: AbortSignal): Promise<Outcome> {
  const { kind, rules, name, place, spec } = document;
  const given = Object.entries(withoutNulls({ ...rules.fromPlace?.(place), ...spec }));
  const isLater = ([field]: [string, unknown]): boolean => rules.afterwards?.includes(field) ?? false;
  const body = { name, ...Object.fromEntries(given.filter((entry) => !isLater(entry))) };
  const call = { path: pathOf(document, place).slice(0, -1), body, query: preview(dryRun) };
  const made = (await api.post(kind.schema, call, signal)) as Resource;
  if (!dryRun && given.some(isLater)) await change({ api, document, dryRun }, made, signal);
  return 'created';
}

async function change({ api, document, dryRun }: Applying, current: Resource, signal: AbortSignal): Promise<Outcome> {
  const { kind, rules, place, spec } = document;
  const { fixed, verb, patch } = planChange(rules, current, { ...rules.fromPlace?.(place), ...spec });
  if (fixed.length > 0) throw neverChanges(document, current, fixed);
  const path = pathOf(document, place);
  const query = preview(dryRun);
  let now = current;
  if (rules.verb !== undefined && verb !== undefined) {
    const { verb: word, answer } = rules.verb;
    const schema = answer === undefined ? kind.schema : Type.Object({ [answer]: await kind.schema() });
    const said = (await api.post(schema, { path, verb: word, body: verb, query, ...match(now) }, signal)) as Resource;
    now = (answer === undefined ? said : said[answer]) as Resource;
  }
  if (patch !== undefined) {
    // A dry run of the verb changed nothing, so the etag in its response does not exist on the platform.
    const seen = dryRun ? current : now;
    const patched = (await api.patch(kind.schema, { path, body: patch, query, ...match(seen) }, signal)) as Resource;
    if (outcome(seen, patched) === 'configured') now = patched;
  }
  return outcome(current, now);
}

/** The etag decides whether something changed. */
function outcome(before: Resource, after: Resource): Outcome {
  return before['etag'] === after['etag'] ? 'unchanged' : 'configured';
}

function match(current: Resource | undefined): { ifMatch?: string } {
  const etag = current?.['etag'];
  return typeof etag === 'string' ? { ifMatch: etag } : {};
}

function preview(dryRun: boolean): { dryRun?: true } {
  return dryRun ? { dryRun } : {};
}

/** A create omits fields that the document sets to null. */
function withoutNulls(fields: Resource): Resource {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function neverChanges({ spec, key }: ApplyDocument, current: Resource, fields: readonly string[]): ClientError {
  const lines = fields.map(
    (field) => `  ${field} is ${JSON.stringify(current[field])}, but the document has ${JSON.stringify(spec[field])}`,
  );
  const act = `correct the document, or delete ${key} and apply it again`;
  return new ClientError('CONFLICT', [`immutable fields differ; ${act}`, ...lines].join('\n'));
}
