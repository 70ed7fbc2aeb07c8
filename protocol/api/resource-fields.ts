import { Type } from 'typebox';
import { RESOURCE_NAME_MAX_LENGTH, RESOURCE_NAME_PATTERN } from '#kit/std';

/** The syntax of Kubernetes label values. */
const LABEL_VALUE = { pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$', maxLength: 63 };
const LABEL_RULE = 'Keys and values follow the syntax of Kubernetes labels.';
const MAX_LABELS = 64;

export function nameField(description: string) {
  return Type.String({ pattern: RESOURCE_NAME_PATTERN, maxLength: RESOURCE_NAME_MAX_LENGTH, description });
}

export function displayNameField() {
  return Type.String({ minLength: 1, maxLength: 128, description: 'A display name in any script, on one line.' });
}

export function labelsField() {
  return Type.Record(Type.String(), Type.String(LABEL_VALUE), {
    maxProperties: MAX_LABELS,
    description: `At most ${MAX_LABELS}. ${LABEL_RULE}`,
  });
}

/** In a merge patch, `null` removes one label, or all of them. */
export function labelsPatchField() {
  const label = Type.Union([Type.String(LABEL_VALUE), Type.Null()]);
  return Type.Union([Type.Record(Type.String(), label), Type.Null()], {
    description: `Labels to set; null removes a label, and null in place of the object removes all. ${LABEL_RULE}`,
  });
}

/** The fields of every resource that only the platform sets. */
export const SYSTEM_FIELDS = {
  uid: Type.String({
    format: 'uuid',
    description: 'Unique to this resource. A resource created again under the same name gets a new uid.',
  }),
  createTime: Type.String({ format: 'date-time' }),
  updateTime: Type.String({ format: 'date-time' }),
  generation: Type.Integer({ minimum: 1, description: 'Incremented when the desired state changes.' }),
  observedGeneration: Type.Integer({ minimum: 0, description: 'The generation that the platform has acted upon.' }),
  etag: Type.String({ description: 'Changes with every update. For If-Match and If-None-Match.' }),
};
