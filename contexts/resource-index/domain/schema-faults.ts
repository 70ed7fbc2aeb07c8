import type { FieldFault } from '#kit/std';
import { parseFieldPath } from './field-path.ts';
import type { Check, Expiry, IndexedKind, IndexSchemaSpec } from './index-schema.ts';

const MAX_KINDS = 100;
const MAX_FIELDS = 50;
const MAX_EXPIRY_MS = 7 * 86_400_000;
const MIN_EXPIRY_MS = 60_000;
const TYPE = /^[A-Za-z0-9][-A-Za-z0-9.]*(?:\/[A-Za-z0-9][-A-Za-z0-9.]*){1,2}$/;
const NAME = /^[a-z][A-Za-z0-9]{0,62}$/;

/** Checks a schema by itself. Conflicts with other schemas are checked elsewhere. */
export function schemaFaults({ kinds }: IndexSchemaSpec): readonly FieldFault[] {
  if (kinds.length > MAX_KINDS) return [{ path: '/kinds', message: `has more than ${MAX_KINDS} kinds` }];
  return [
    ...repeated(kinds.map(({ type }) => type)).map((at) => fault(`/kinds/${at}/type`, 'is a duplicate')),
    ...kinds.flatMap((kind, at) => kindFaults(kind, `/kinds/${at}`)),
  ];
}

function kindFaults({ type, fields, health, only, expiry }: IndexedKind, at: string): FieldFault[] {
  if (!TYPE.test(type)) return [fault(`${at}/type`, 'must be a type such as v1/Pod or apps/v1/Deployment')];
  if (fields.length > MAX_FIELDS) return [fault(`${at}/fields`, `has more than ${MAX_FIELDS} fields`)];
  const names = fields.map(({ name }) => name);
  return [
    ...repeated(names).map((index) => fault(`${at}/fields/${index}/name`, 'is a duplicate')),
    ...fields.flatMap(({ name, path }, index) => [
      ...(NAME.test(name) ? [] : [fault(`${at}/fields/${index}/name`, 'must be a name such as nodeName')]),
      ...pathFaults(path, `${at}/fields/${index}/path`),
    ]),
    ...health.flatMap(({ when }, index) => checkFaults(when, `${at}/health/${index}/when`)),
    ...checkFaults(only, `${at}/only`),
    ...expiryFaults(expiry, `${at}/expiry`),
  ];
}

function checkFaults(checks: readonly Check[], at: string): FieldFault[] {
  return checks.flatMap((check, index) => {
    const place = `${at}/${index}`;
    const said = [check.in, check.exists, check.below].filter((each) => each !== undefined);
    return [
      ...(said.length === 1 ? [] : [fault(place, 'needs exactly one of in, exists and below')]),
      ...pathFaults(check.path, `${place}/path`),
      ...(check.below === undefined ? [] : pathFaults(check.below, `${place}/below`)),
    ];
  });
}

function expiryFaults(expiry: Expiry | undefined, at: string): FieldFault[] {
  if (expiry === undefined) return [];
  const { afterMs, from } = expiry;
  return [
    ...(afterMs >= MIN_EXPIRY_MS && afterMs <= MAX_EXPIRY_MS
      ? []
      : [fault(`${at}/after`, 'must be between one minute and seven days')]),
    ...from.flatMap((path, index) => pathFaults(path, `${at}/from/${index}`)),
  ];
}

function pathFaults(path: string, at: string): FieldFault[] {
  return parseFieldPath(path) === undefined
    ? [fault(at, 'must be a path such as status.phase or status.conditions[type=Ready].status')]
    : [];
}

function repeated(names: readonly string[]): number[] {
  return names.flatMap((name, index) => (names.indexOf(name) === index ? [] : [index]));
}

function fault(path: string, message: string): FieldFault {
  return { path, message };
}
