import type { ErrorObject } from 'ajv';
import type { FieldFault } from '#kit/std';

export type RequestPart = 'body' | 'query' | 'path';

const MAX_FAULTS = 50;

/**
 * Converts Ajv's errors to paths and messages. A pointer into the body begins with `/`; the other parts have their name
 * before it.
 */
export function toFaults(errors: readonly ErrorObject[], part: RequestPart): FieldFault[] {
  const prefix = part === 'body' ? '' : part;
  const choices = mergeChoices(meantBranches(errors));
  const faults = withoutSummaries(choices).map((error) => ({
    path: prefix + placeOf(error),
    message: sentenceFor(error, part),
  }));
  // Several branches of a union may report the same fault.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()].slice(0, MAX_FAULTS);
}

/**
 * A union fails with the errors of all its branches. Ajv puts them directly before the union's own error, so one pass
 * is enough, innermost unions first.
 */
function meantBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      kept.push(error);
      continue;
    }
    const start = kept.findLastIndex((earlier) => !isBelow(error, earlier)) + 1;
    const below = kept.splice(start);
    for (const meant of below.length === 0 ? [error] : meantOf(error, below)) kept.push(meant);
  }
  return kept;
}

function isBelow(union: ErrorObject, error: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) && `${error.instancePath}/`.startsWith(`${union.instancePath}/`)
  );
}

/**
 * Objects are distinguished by their `type`: if the value matches one of them, faults of the other branches, and of
 * null, are dropped.
 */
function meantOf(union: ErrorObject, below: readonly ErrorObject[]): readonly ErrorObject[] {
  const at = union.instancePath;
  const branches = Map.groupBy(below, ({ schemaPath }) => schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
  const ofObjects = [...branches.values()].filter(
    (branch) => !branch.some(({ keyword, instancePath }) => keyword === 'type' && instancePath === at),
  );
  if (!ofObjects.flat().some((error) => placeOf(error) !== at)) return below;
  const isAboutType = (error: ErrorObject): boolean => placeOf(error) === `${at}/type`;
  const meant = ofObjects.filter((branch) => !branch.some(isAboutType));
  return meant.length > 0 ? meant.flat() : ofObjects.flat().filter(isAboutType);
}

/** A union of constants fails once for each of them; this is reported as one fault, "must be one of". */
function mergeChoices(errors: readonly ErrorObject[]): ErrorObject[] {
  const merged: ErrorObject[] = [];
  const choices = new Map<string, unknown[]>();
  for (const error of errors) {
    if (error.keyword !== 'const') merged.push(error);
    else if (choices.has(error.instancePath)) choices.get(error.instancePath)?.push(error.params['allowedValue']);
    else {
      const allowedValues = [error.params['allowedValue']];
      choices.set(error.instancePath, allowedValues);
      merged.push({ ...error, keyword: 'enum', params: { allowedValues } });
    }
  }
  return merged;
}

/** Drops "must match a schema in anyOf" if the same place or one inside it has a more specific fault. */
function withoutSummaries(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter(
    (error) =>
      !['anyOf', 'oneOf', 'if'].includes(error.keyword) ||
      !errors.some((other) => other !== error && other.instancePath.startsWith(error.instancePath)),
  );
}

function placeOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${escapePointer(params['missingProperty'])}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${escapePointer(params['additionalProperty'])}`;
  return instancePath;
}

function sentenceFor({ keyword, params, message }: ErrorObject, part: RequestPart): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return part === 'body' ? 'is not a known field' : 'is not a known parameter';
    case 'enum':
      return `must be one of ${listOf(params['allowedValues'])}`;
    default:
      return message ?? `does not hold for ${keyword}`;
  }
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : String(values);
}

function escapePointer(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
