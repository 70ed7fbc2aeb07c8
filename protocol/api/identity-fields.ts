import { Type } from 'typebox';

const DURATION = { pattern: '^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$', minLength: 2, maxLength: 32 };
export const timeField = (description: string) => Type.String({ format: 'date-time', description });
export const lineField = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\P{Cc}+$', description });
export const durationField = (description: string) => Type.String({ ...DURATION, description });
