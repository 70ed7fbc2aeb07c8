import { boolean } from '#kit/config';

export const DETAILS_SETTING = {
  kind: boolean(),
  default: 'false',
  sentence: 'Show every changed field; otherwise many changes are shown as the names of their objects.',
  group: 'Show',
  from: ['flag'],
} as const;
