import type { FieldFault } from '#kit/std';

const MAX_LENGTH = 63;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** For slugs and regions, which other systems compare literally: `eu-central-1`. */
export function kebabCaseFaults(path: string, text: string | undefined): FieldFault[] {
  if (text === undefined || (text.length <= MAX_LENGTH && KEBAB_CASE.test(text))) return [];
  return [
    { path, message: `must be 1 to ${MAX_LENGTH} lower-case letters and digits, in words with one hyphen between` },
  ];
}
