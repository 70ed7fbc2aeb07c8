import type { FieldFault } from '#kit/std';

const DISPLAY_NAME_MAX_LENGTH = 128;

/** Fits on one line of a list: any script, counted in characters rather than in UTF-16 units. */
export function displayNameFaults(displayName: string | undefined): FieldFault[] {
  if (displayName === undefined) return [];
  const message = faultOf(displayName);
  return message === undefined ? [] : [{ path: '/displayName', message }];
}

function faultOf(text: string): string | undefined {
  if (text.trim() !== text || text === '') return 'must not be empty, nor begin or end with white space';
  if ([...text].length > DISPLAY_NAME_MAX_LENGTH)
    return `must not have more than ${DISPLAY_NAME_MAX_LENGTH} characters`;
  if (/\p{Cc}/u.test(text)) return 'must not contain line breaks or other control characters';
  // Half of a surrogate pair cannot be stored: it would come back as another character.
  if (!text.isWellFormed()) return 'must be Unicode text';
  return undefined;
}
