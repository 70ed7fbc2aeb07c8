import { type Catalogue, FleetError, uuidv7 } from '#kit/std';
import { keyset, type MigrationModule, type Storage, sql, type Transaction } from '#kit/storage';

const THING_ERRORS = {
  NAME_TAKEN: { category: 'conflict', retry: 'after-change' },
  THING_NOT_FOUND: { category: 'not-found', retry: 'never' },
} as const satisfies Catalogue;

class ThingError extends FleetError<keyof typeof THING_ERRORS> {
  get entry() {
    return THING_ERRORS[this.code];
  }
}

export interface Thing {
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly color: 'red' | 'green';
}

export const thingMigrations: MigrationModule = {
  module: 'things',
  migrations: [
    {
      number: 1,
      name: 'things',
      compatibleFrom: 0,
      up: 'CREATE TABLE things (name KEYTEXT PRIMARY KEY, uid TEXT NOT NULL, version BIGINT NOT NULL, color TEXT NOT NULL)',
    },
  ],
};

type ThingRow = { name: string; uid: string; version: number; color: Thing['color'] };

export async function insertThing(tx: Transaction, name: string, color: Thing['color']): Promise<Thing> {
  if (await tx.get(sql`SELECT 1 AS found FROM things WHERE name = ${name}`)) {
    throw new ThingError('NAME_TAKEN', `There is a thing called ${name} already. Choose another name.`);
  }
  const thing: Thing = { name, uid: uuidv7(), version: 1, color };
  await tx.run(sql`INSERT INTO things (name, uid, version, color) VALUES (${name}, ${thing.uid}, ${1}, ${color})`);
  return thing;
}

export async function loadThing(tx: Pick<Transaction, 'get'>, name: string): Promise<Thing> {
  const thing = await tx.get<ThingRow>(sql`SELECT name, uid, version, color FROM things WHERE name = ${name}`);
  if (thing === undefined) throw new ThingError('THING_NOT_FOUND', `There is no thing called ${name}.`);
  return { ...thing };
}

export async function paintThing(tx: Transaction, thing: Thing, color: Thing['color']): Promise<Thing> {
  const painted: Thing = { ...thing, color, version: thing.version + 1 };
  await tx.run(sql`UPDATE things SET color = ${color}, version = ${painted.version} WHERE name = ${thing.name}`);
  return painted;
}

export async function deleteThing(tx: Transaction, { name }: Thing): Promise<void> {
  await tx.run(sql`DELETE FROM things WHERE name = ${name}`);
}

export async function listThings(
  storage: Storage,
  range: { readonly after: readonly (string | number)[] | undefined; readonly limit: number },
  signal: AbortSignal,
): Promise<Thing[]> {
  const page = keyset({ columns: ['name'], ...range });
  const rows = await storage.all<ThingRow>(
    sql`SELECT name, uid, version, color FROM things WHERE ${page.where} ${page.tail}`,
    signal,
  );
  return rows.map((row) => ({ ...row }));
}
