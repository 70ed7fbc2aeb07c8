import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { HttpError } from '../errors/http-error.ts';
import type { JsonSchema } from './closed-schema.ts';
import { compileCoercion } from './coerce-text.ts';
import { type RequestPart, toFaults } from './validation-faults.ts';

export type Verdict = { readonly value: unknown } | { readonly error: HttpError };

/**
 * Faults of a body with more values than this are not explained: the full list of faults would be built before it can
 * be cut.
 */
const MAX_EXPLAINED_VALUES = 5000;

/**
 * Compiles each schema once, when the first request needs it: most processes serve only some of their routes, and
 * compiling all of them took a quarter of the startup time. Nothing is coerced, defaulted or dropped here.
 */
export class Validators {
  readonly #first = strictAjv({ allErrors: false });
  readonly #all = strictAjv({ allErrors: true });
  readonly #atOnce: boolean;

  /** `atOnce` compiles immediately, so that a wrong schema is found by a test and not by a user. */
  constructor({ atOnce }: { readonly atOnce: boolean }) {
    this.#atOnce = atOnce;
  }

  forRequest(schema: JsonSchema, part: RequestPart, where: string): (data: unknown) => Verdict {
    const bounded = withSafeIntegers(schema);
    let compiled = this.#atOnce ? this.#first.compile(bounded) : undefined;
    const check = (data: unknown): boolean => {
      compiled ??= this.#first.compile(bounded);
      return compiled(data);
    };
    // Ajv caches the compiled schema.
    const explain: Explain = (data) => explained(this.#all.compile(bounded), data);
    if (part === 'body') return (data) => (check(data) ? { value: data } : refuseBody(data, explain));
    const coerce = compileCoercion(schema, where);
    return (data) => {
      const value = coerce((data ?? {}) as Readonly<Record<string, unknown>>);
      return check(value) ? { value } : refuse(explain(value), part);
    };
  }

  /** The fault of a response; `undefined` if it is valid. */
  forResponse(schema: JsonSchema): (data: unknown) => string | undefined {
    const check = this.#all.compile(schema);
    return (data) => (check(data) ? undefined : this.#all.errorsText(check.errors, { dataVar: 'body' }));
  }
}

/**
 * JSON has integers that neither JavaScript nor a database can hold exactly, such as 1e21. A request with one is refused here, so that
 * no handler has to.
 */
function withSafeIntegers(schema: JsonSchema): JsonSchema {
  const bounded = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, boundedValue(value)]));
  if (schema['type'] !== 'integer') return bounded;
  return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...bounded };
}

function boundedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(boundedValue);
  return typeof value === 'object' && value !== null ? withSafeIntegers(value as JsonSchema) : value;
}

type Explain = (data: unknown) => readonly ErrorObject[];

function refuseBody(data: unknown, explain: Explain): Verdict {
  if (data === null || data === undefined) {
    return refusal([{ path: '', message: 'a JSON body is required' }]);
  }
  return isSmall(data) ? refuse(explain(data), 'body') : refusal([{ path: '', message: 'does not match its schema' }]);
}

function isSmall(data: unknown): boolean {
  const values = [data];
  for (const value of values) {
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) values.push(inner);
    if (values.length > MAX_EXPLAINED_VALUES) return false;
  }
  return true;
}

function explained(check: ValidateFunction, data: unknown): readonly ErrorObject[] {
  check(data);
  return check.errors ?? [];
}

function refuse(errors: readonly ErrorObject[], part: RequestPart): Verdict {
  return refusal(toFaults(errors, part));
}

function refusal(faults: HttpError['faults']): Verdict {
  const [first] = faults;
  const where = first?.path ? `${first.path} ` : '';
  const message = `The request is not valid: ${where}${first?.message}. Correct it and send it again.`;
  return { error: new HttpError('VALIDATION_FAILED', message, { faults }) };
}

function strictAjv({ allErrors }: { allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    strict: true,
    strictTypes: true,
    allowUnionTypes: true,
    allErrors,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
  });
  addFormats.default(ajv);
  return ajv;
}
