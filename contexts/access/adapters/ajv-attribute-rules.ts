import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FieldFault } from '#kit/std';
import type { AttributeRules } from '../application/ports.ts';
import type { Attributes } from '../domain/grant.ts';
import { isObject } from './parse-object.ts';

const MAX_SCHEMA_CHARS = 16_384;
const MAX_VALUE_CHARS = 4_096;
const MAX_DEPTH = 16;
const MAX_FAULTS = 20;

/** Keywords whose value is a schema (`WITH_SCHEMA`), or a list of schemas (`WITH_SCHEMAS`). */
const WITH_SCHEMA = new Set(['items', 'additionalProperties', 'not']);
const WITH_SCHEMAS = new Set(['anyOf', 'oneOf', 'allOf']);

/**
 * DECISION: a closed list, without regular expressions and references. Values are checked on the thread that serves
 * every request; a pattern that needs a second for a page of text would block the whole instance. (ADR-0024)
 */
const KEYWORDS = new Set(
  `type enum const properties required title description default examples minLength maxLength minimum maximum
  exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties
  items additionalProperties not anyOf oneOf allOf`.split(/\s+/),
);

/** JSON Schema by Ajv. Compiles for each call and keeps nothing: permissions are rarely defined or granted. */
export class AjvAttributeRules implements AttributeRules {
  readonly #ajv = new Ajv({ strict: true, strictTypes: true, allowUnionTypes: true, allErrors: true });

  schemaFaults(schema: Attributes): readonly FieldFault[] {
    if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) {
      return [{ path: '', message: `must not be longer than ${MAX_SCHEMA_CHARS} characters` }];
    }
    const faults = keywordFaults(schema, { path: '', depth: 0 });
    if (schema['type'] !== 'object') faults.push({ path: '/type', message: 'must be object' });
    return faults.length > 0 ? faults.slice(0, MAX_FAULTS) : this.#compileFaults(schema);
  }

  valueFaults(schema: Attributes, values: readonly Attributes[]): readonly (readonly FieldFault[])[] {
    return this.#compiled(schema, (validate) =>
      values.map((value) => {
        if (JSON.stringify(value).length > MAX_VALUE_CHARS) {
          return [{ path: '', message: `must not be longer than ${MAX_VALUE_CHARS} characters` }];
        }
        return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_FAULTS).map(toFault);
      }),
    );
  }

  #compileFaults(schema: Attributes): FieldFault[] {
    try {
      return this.#compiled(schema, () => []);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return [{ path: '', message: `is not a usable JSON Schema: ${error.message}` }];
    }
  }

  #compiled<T>(schema: Attributes, use: (validate: ValidateFunction) => T): T {
    try {
      return use(this.#ajv.compile(schema));
    } finally {
      this.#ajv.removeSchema(schema);
    }
  }
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function keywordFaults(schema: unknown, { path, depth }: Place): FieldFault[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ path, message: 'must be a JSON Schema' }];
  if (depth > MAX_DEPTH) return [{ path, message: `must not be nested deeper than ${MAX_DEPTH}` }];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = `${path}/${keyword}`;
    if (!KEYWORDS.has(keyword)) return [{ path: at, message: 'is not an allowed keyword' }];
    return childrenOf(keyword, value).flatMap(([inner, child]) =>
      keywordFaults(child, { path: at + inner, depth: depth + 1 }),
    );
  });
}

/**
 * The schemas nested in a keyword, each with its path within it. Values of the wrong shape are left for Ajv to report.
 */
function childrenOf(keyword: string, value: unknown): (readonly [string, unknown])[] {
  if (WITH_SCHEMA.has(keyword)) return [['', value]];
  const inside = WITH_SCHEMAS.has(keyword) || keyword === 'properties';
  if (!inside || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, child]) => [`/${key}`, child] as const);
}

function toFault({ keyword, instancePath, params, message }: ErrorObject): FieldFault {
  if (keyword === 'required')
    return { path: `${instancePath}/${String(params['missingProperty'])}`, message: 'is required' };
  if (keyword === 'additionalProperties') {
    return {
      path: `${instancePath}/${String(params['additionalProperty'])}`,
      message: 'is not an attribute of this permission',
    };
  }
  return { path: instancePath, message: message ?? `does not hold for ${keyword}` };
}
