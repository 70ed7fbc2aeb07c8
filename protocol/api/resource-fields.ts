import { Type } from 'typebox';
import { RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';

/** The syntax of Kubernetes label values. */
const LABEL_VALUE = { pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$', maxLength: 63 };
const LABEL_RULE = 'Keys and values are in the syntax of Kubernetes labels.';
const MAX_LABELS = 64;

export function nameField(description: string) {
  return Type.String({ pattern: RESOURCE_NAME_PATTERN, maxLength: RESOURCE_NAME_MAX_LENGTH, description });
}

export function displayNameField() {
  return Type.String({ minLength: 1, maxLength: 128, description: 'For people, in any script, on one line.' });
}

export function labelsField() {
  return Type.Record(Type.String(), Type.String(LABEL_VALUE), {
    maxProperties: MAX_LABELS,
    description: `At most ${MAX_LABELS}. ${LABEL_RULE}`,
  });
}

/** In a merge patch: `null` takes one label away, or all of them. */
export function labelsPatchField() {
  const label = Type.Union([Type.String(LABEL_VALUE), Type.Null()]);
  return Type.Union([Type.Record(Type.String(), label), Type.Null()], {
    description: `Labels to set; null removes one, or in place of the object all. ${LABEL_RULE}`,
  });
}

/** What the platform says of every resource, and nobody else can. */
export const SYSTEM_FIELDS = {
  uid: Type.String({
    format: 'uuid',
    description: 'Of this one alone: what is made again under its name has another.',
  }),
  createTime: Type.String({ format: 'date-time' }),
  updateTime: Type.String({ format: 'date-time' }),
  generation: Type.Integer({ minimum: 1, description: 'Counts the changes of what people asked for.' }),
  observedGeneration: Type.Integer({ minimum: 0, description: 'The generation that the platform has acted upon.' }),
  etag: Type.String({ description: 'Another one after every change. For If-Match and If-None-Match.' }),
};
