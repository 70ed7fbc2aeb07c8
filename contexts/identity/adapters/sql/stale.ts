import { IdentityError } from '../../domain/identity-error.ts';

export function stale(what: string): IdentityError {
  return new IdentityError(
    'VERSION_STALE',
    `${what} was changed or deleted meanwhile. Read it again, and repeat the change if it still applies.`,
  );
}
