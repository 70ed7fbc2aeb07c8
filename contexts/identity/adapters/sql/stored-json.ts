import { IdentityError } from '../../domain/identity-error.ts';

/**
 * A column that this context writes. It is checked all the same, as a restored or repaired database can hold anything.
 */
export function storedObject(text: string, what: string): Readonly<Record<string, unknown>> {
  const value = parsed(text, what);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalidRow(what);
}

export function storedTexts(value: unknown, what: string): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalidRow(what);
}

export function storedText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw invalidRow(what);
}

export function optionalText(value: unknown, what: string): string | undefined {
  return value == null ? undefined : storedText(value, what);
}

export function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidRow(what, cause);
  }
}

export function invalidRow(what: string, cause?: unknown): IdentityError {
  return new IdentityError('STORED_IDENTITY_INVALID', `read ${what}`, { cause });
}
