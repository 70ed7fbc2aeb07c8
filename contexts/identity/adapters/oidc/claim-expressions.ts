import { BoundedCel, CelError } from '#kit/cel';
import type { ClaimLanguage } from '../../application/ports.ts';
import { IdentityError } from '../../domain/identity-error.ts';
import type { Issuer } from '../../domain/issuer.ts';
import { MAX_GROUPS, type MappedClaims } from '../../domain/subject.ts';

type Claims = Readonly<Record<string, unknown>>;

/** CEL over `claims`, written by administrators. The claims come from outside, so the cost of evaluation is bounded. */
export class ClaimExpressions implements ClaimLanguage {
  readonly #language = new BoundedCel({ claims: 'map' });

  faultOf(expression: string, gives: 'text' | 'list'): string | undefined {
    try {
      const { type } = this.#language.compile(expression);
      return fits(type, gives) ? undefined : `must yield ${gives === 'text' ? 'a string' : 'a list of strings'}`;
    } catch (error) {
      if (error instanceof CelError) return `cannot be compiled: ${error.message}`;
      throw error;
    }
  }

  /** Throws `SUBJECT_REFUSED` when the claims are not what the mapping expects. */
  map({ name, claims }: Pick<Issuer, 'name' | 'claims'>, token: Claims): MappedClaims {
    const refuse = (what: string): IdentityError =>
      new IdentityError(
        'SUBJECT_REFUSED',
        `The issuer ${name} knows this user, but its mapping of ${what} does not fit the claims of the token. Ask an administrator to check the mapping.`,
        { details: { issuer: name } },
      );
    const username = this.#evaluate(claims.username, token);
    const groups = this.#evaluate(claims.groups, token);
    const shared = claims.sharedGroups === undefined ? [] : this.#evaluate(claims.sharedGroups, token);
    if (typeof username !== 'string') throw refuse('the name');
    if (!isTexts(groups)) throw refuse('groups');
    if (!isTexts(shared)) throw refuse('shared groups');
    return { username, groups, sharedGroups: shared };
  }

  /** `undefined` when evaluation fails on these claims. */
  #evaluate(expression: string, claims: Claims): unknown {
    try {
      return this.#language.compile(expression).evaluate({ claims });
    } catch (error) {
      if (error instanceof CelError) return undefined;
      throw error;
    }
  }
}

function fits(type: string, gives: 'text' | 'list'): boolean {
  if (type === 'dyn') return true;
  return gives === 'text' ? type === 'string' : /^list(<(string|dyn|T)>)?$/.test(type);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= 4 * MAX_GROUPS && value.every((item) => typeof item === 'string');
}
