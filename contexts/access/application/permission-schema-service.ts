import type { FieldFault, Precondition, ResourceName, Uuid, Versioned } from '#kit/std';
import { AccessError, invalidPermissionSchema } from '../domain/access-error.ts';
import type { Grant } from '../domain/grant.ts';
import {
  changePermissionSchema,
  newPermissionSchema,
  type PermissionSchema,
  type PermissionSchemaSpec,
} from '../domain/permission-schema.ts';
import { pathOf } from '../domain/resource-ref.ts';
import type { AttributeRules, PermissionSchemaReader, UnitOfWork } from './ports.ts';

export interface PermissionSchemaServiceDeps {
  readonly newUid: () => Uuid;
  readonly rules: AttributeRules;
}

export interface ChangeSchema {
  readonly name: ResourceName;
  readonly precondition: Precondition<Versioned | undefined>;
  readonly now: number;
}

export interface PutSchema extends ChangeSchema {
  readonly spec: PermissionSchemaSpec;
}

/** The result of a put, and the schema that it replaced. */
export interface PutOutcome {
  readonly schema: PermissionSchema;
  readonly before: PermissionSchema | undefined;
}

/** As many as a person reads; `count` tells the total. */
const NAMED_GRANTS = 10;
const PAGE = 500;

/** The permissions that addons define. */
export class PermissionSchemaService {
  readonly #deps: PermissionSchemaServiceDeps;

  constructor(deps: PermissionSchemaServiceDeps) {
    this.#deps = deps;
  }

  async get(
    reader: Pick<PermissionSchemaReader, 'find'>,
    name: ResourceName,
    signal: AbortSignal,
  ): Promise<PermissionSchema> {
    const schema = await reader.find(name, signal);
    if (schema !== undefined) return schema;
    throw new AccessError('PERMISSION_SCHEMA_NOT_FOUND', `There is no permission schema ${name}.`);
  }

  /** Creates or updates. A put that changes nothing writes nothing and emits no event. */
  async put(unit: UnitOfWork, { name, spec, precondition, now }: PutSchema, signal: AbortSignal): Promise<PutOutcome> {
    const before = await unit.schemas.find(name, signal);
    precondition.check(before);
    this.#checkSpec(spec);
    if (before === undefined) {
      const schema = newPermissionSchema(spec, { name, uid: this.#deps.newUid(), now });
      await unit.schemas.insert(schema, signal);
      await unit.events.append([{ type: 'permissionSchema.created', schema }], now, signal);
      return { schema, before };
    }
    const schema = changePermissionSchema(before, spec, now);
    if (schema === before) return { schema, before };
    await this.#checkGrantsFit(unit, schema, signal);
    await unit.schemas.replace(schema, signal);
    await unit.events.append([{ type: 'permissionSchema.updated', schema }], now, signal);
    return { schema, before };
  }

  async delete(
    unit: UnitOfWork,
    { name, precondition, now }: ChangeSchema,
    signal: AbortSignal,
  ): Promise<PermissionSchema> {
    const schema = await this.get(unit.schemas, name, signal);
    precondition.check(schema);
    const inTheWay = await grantsOf(unit, { permission: name, picked: (grants) => grants }, signal);
    if (inTheWay.count > 0) throw grantsInTheWay(`Permission ${name} is granted`, inTheWay);
    await unit.schemas.remove(schema, signal);
    await unit.events.append([{ type: 'permissionSchema.deleted', schema }], now, signal);
    return schema;
  }

  #checkSpec({ attributesSchema, roles }: PermissionSchemaSpec): void {
    const { rules } = this.#deps;
    const faults = rules.schemaFaults(attributesSchema);
    if (faults.length > 0) throw invalidPermissionSchema(under('/attributesSchema', faults));
    const ofRoles = rules.valueFaults(
      attributesSchema,
      roles.map(({ attributes }) => attributes),
    );
    const ofValues = ofRoles.flatMap((found, index) => under(`/roles/${index}/attributes`, found));
    if (ofValues.length > 0) throw invalidPermissionSchema(ofValues);
  }

  async #checkGrantsFit(unit: UnitOfWork, schema: PermissionSchema, signal: AbortSignal): Promise<void> {
    const unfit = (grants: readonly Grant[]) => this.#unfit(schema, grants);
    const inTheWay = await grantsOf(unit, { permission: schema.name, picked: unfit }, signal);
    if (inTheWay.count > 0) throw grantsInTheWay('The attributes of existing grants do not fit this schema', inTheWay);
  }

  #unfit({ attributesSchema }: PermissionSchema, grants: readonly Grant[]): readonly Grant[] {
    const values = grants.map(({ gives }) => (gives.kind === 'permission' ? gives.attributes : {}));
    const faults = this.#deps.rules.valueFaults(attributesSchema, values);
    return grants.filter((_, index) => faults[index]?.length !== 0);
  }
}

/** The number of conflicting grants, and the names of the first few. */
interface InTheWay {
  readonly count: number;
  readonly names: readonly string[];
}

interface Picking {
  readonly permission: string;
  readonly picked: (grants: readonly Grant[]) => readonly Grant[];
}

async function grantsOf(
  { search }: UnitOfWork,
  { permission, picked }: Picking,
  signal: AbortSignal,
): Promise<InTheWay> {
  const names: string[] = [];
  let count = 0;
  for (let after: string | undefined; ; ) {
    const page = await search.matching({ by: 'permission', permission }, { after, limit: PAGE }, signal);
    for (const { resource, name } of picked(page)) {
      count += 1;
      if (names.length < NAMED_GRANTS) names.push(`${pathOf(resource)}/grants/${name}`);
    }
    if (page.length < PAGE) return { count, names };
    after = page.at(-1)?.uid;
  }
}

function grantsInTheWay(why: string, { count, names }: InTheWay): AccessError {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return new AccessError('GRANTS_IN_THE_WAY', `${why}: ${names.join(', ')}${more}. Delete these first.`, {
    details: { count, grants: names },
  });
}

function under(place: string, faults: readonly FieldFault[]): FieldFault[] {
  return faults.map(({ path, message }) => ({ path: `${place}${path}`, message }));
}
