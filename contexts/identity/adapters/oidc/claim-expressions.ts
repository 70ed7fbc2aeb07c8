import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js';
import type { ClaimLanguage } from '../../application/ports.ts';
import { IdentityError } from '../../domain/identity-error.ts';
import type { Issuer } from '../../domain/issuer.ts';
import { MAX_GROUPS, type MappedClaims } from '../../domain/subject.ts';

type Claims = Readonly<Record<string, unknown>>;

const REMEMBERED = 1_000;

/**
 * CEL over `claims`, as administrators write it. What it runs on comes from outside, so there are no regular expressions,
 * which a well chosen text can keep busy for years; a token bounds the rest.
 */
export class ClaimExpressions implements ClaimLanguage {
  readonly #environment = new Environment({ limits: { maxAstNodes: 250, maxDepth: 32 } }).registerVariable(
    'claims',
    'map',
  );
  readonly #parsed = new Map<string, ParseResult>();

  faultOf(expression: string, gives: 'text' | 'list'): string | undefined {
    try {
      const parsed = this.#environment.parse(expression);
      if (callsMatches(parsed.ast)) return 'must do without matches()';
      const { valid, type, error } = parsed.check();
      if (!valid) return error?.summary ?? 'has types that do not fit';
      return fits(String(type), gives) ? undefined : `must give ${gives === 'text' ? 'a text' : 'a list of texts'}`;
    } catch (error) {
      return error instanceof Error && 'summary' in error ? String(error.summary) : 'is not CEL';
    }
  }

  /** `SUBJECT_REFUSED` when the claims are not what the mapping expects. */
  map({ name, claims }: Pick<Issuer, 'name' | 'claims'>, token: Claims): MappedClaims {
    const refuse = (what: string): IdentityError =>
      new IdentityError(
        'SUBJECT_REFUSED',
        `The issuer ${name} knows this user, but its mapping of ${what} does not fit the claims of the token. Ask an administrator to look at it.`,
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

  /** `undefined` when it cannot be worked out on these claims. */
  #evaluate(expression: string, claims: Claims): unknown {
    try {
      return this.#parse(expression)({ claims });
    } catch {
      return undefined;
    }
  }

  #parse(expression: string): ParseResult {
    const known = this.#parsed.get(expression);
    if (known !== undefined) return known;
    if (this.#parsed.size >= REMEMBERED) this.#parsed.clear();
    const parsed = this.#environment.parse(expression);
    this.#parsed.set(expression, parsed);
    return parsed;
  }
}

function fits(type: string, gives: 'text' | 'list'): boolean {
  if (type === 'dyn') return true;
  return gives === 'text' ? type === 'string' : /^list(<(string|dyn|T)>)?$/.test(type);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= 4 * MAX_GROUPS && value.every((item) => typeof item === 'string');
}

function callsMatches(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(callsMatches);
  if (typeof node !== 'object' || node === null || !('op' in node && 'args' in node)) return false;
  const { op, args } = node as ASTNode;
  if ((op === 'call' || op === 'rcall') && (args as readonly unknown[])[0] === 'matches') return true;
  return callsMatches(args);
}
