import type { ErrorObject } from 'ajv';
import type { FieldFault } from '#kit/std';

export type RequestPart = 'body' | 'query' | 'path';

const MAX_FAULTS = 50;

/** Ajv's errors as places and sentences. A pointer begins with `/`; the other parts have their name before it. */
export function toFaults(errors: readonly ErrorObject[], part: RequestPart): FieldFault[] {
  const prefix = part === 'body' ? '' : part;
  const choices = mergeChoices(errors);
  return withoutSummaries(choices)
    .slice(0, MAX_FAULTS)
    .map((error) => ({ path: prefix + placeOf(error), message: sentenceFor(error, part) }));
}

/** A union of constants fails once for each of them; that is one fault, "must be one of". */
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

/** "Must match a schema in anyOf" helps nobody where the same place or one inside it says more. */
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
      return part === 'body' ? 'is not a field that this takes' : 'is not a parameter that this takes';
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
