import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { FleetError, parseResourceName } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { OUTBOX_MIGRATIONS } from '#kit/storage/outbox';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { GrantService } from '../application/grant-service.ts';
import { PermissionSchemaService } from '../application/permission-schema-service.ts';
import { AccessIndex } from '../domain/access-index.ts';
import { NOT_FOUND, plantTree, resourcesOf, uidOf } from '../testing/access-api.ts';
import { AjvAttributeRules } from './ajv-attribute-rules.ts';
import { IndexedDecisions } from './indexed-decisions.ts';
import { ACCESS_MIGRATIONS } from './migrations.ts';
import { SqlGrantReader } from './sql-grant-reader.ts';
import { SqlPermissionSchemaReader } from './sql-permission-schema-store.ts';
import { unitOfWork } from './sql-unit-of-work.ts';

const signal = new AbortController().signal;
const ADMIN = { kind: 'admin', id: 'admin' };
const ROOT = { kind: 'workspace', name: 'root' } as const;
const ANY = { check: () => undefined };
const METRICS = parseResourceName('metrics-query');

eachDatabase('grants that change at the same moment', (fresh) => {
  let database: TestDatabase;
  let storage: Storage;
  const index = new AccessIndex();
  plantTree(index);
  let uids = 1_000;
  const newUid = () => uidOf((uids += 1));
  const rules = new AjvAttributeRules();
  const decisions = new IndexedDecisions(index);
  const admins = { remain: async () => false };
  const grants = new GrantService({ newUid, decisions, rules, admins, notFound: NOT_FOUND });
  const schemas = new PermissionSchemaService({ newUid, rules });

  before(async () => {
    database = await fresh();
    storage = await database.open([ACCESS_MIGRATIONS, OUTBOX_MIGRATIONS]);
    index.apply({ kind: 'permissionSchema', schema: { name: METRICS, uid: uidOf(900), version: 1, roles: [] } });
  });
  after(async () => await database.dispose());
  beforeEach(async () => {
    await storage.commit([sql`DELETE FROM access_grants`, sql`DELETE FROM access_permission_schemas`], signal);
  });

  const inUnit = <T>(body: (unit: ReturnType<typeof unitOfWork>) => Promise<T>): Promise<T> =>
    storage.write((tx) => body(unitOfWork(tx, { newUid, resourcesIn: () => resourcesOf(index) })), signal);
  const grant = (name: string, gives: object, id = name) =>
    inUnit((unit) => {
      const draft = { name, subject: { kind: 'user', id }, ...gives };
      return grants.create(unit, { caller: ADMIN, resource: ROOT, draft, now: 1 }, signal);
    });
  const define = (maxLength: number) =>
    inUnit((unit) => {
      const attributesSchema = { type: 'object', properties: { tenant: { type: 'string', maxLength } } };
      const spec = { description: undefined, resourceType: 'target', attributesSchema, roles: [] } as const;
      return schemas.put(unit, { name: METRICS, spec, precondition: ANY, now: 1 }, signal);
    });
  const names = async () => {
    const range = { resourceUids: [uidOf(1)], after: undefined, limit: 100 };
    return (await new SqlGrantReader(storage).list(range, signal)).map(({ name }) => name);
  };

  it('leave one admin of the two who want to go', async () => {
    await grant('one', { role: 'admin' });
    await grant('two', { role: 'admin' });
    const leave = (name: string) =>
      inUnit((unit) => {
        const which = { resource: ROOT, name: parseResourceName(name), precondition: ANY, now: 2 };
        return grants.delete(unit, which, signal);
      });
    const outcomes = await outcomesOf([leave('one'), leave('two')]);
    assert.deepEqual(outcomes.toSorted(), ['LAST_ADMIN', 'done']);
    assert.equal((await names()).length, 1);
  });

  it('give the same once', async () => {
    const tries = ['a', 'b', 'c', 'd'].map((name) => grant(name, { role: 'viewer' }, 'alice'));
    const outcomes = await outcomesOf(tries);
    assert.deepEqual(outcomes.toSorted(), ['GRANT_EXISTS', 'GRANT_EXISTS', 'GRANT_EXISTS', 'done']);
  });

  it('never leave a grant that does not fit its schema', async () => {
    for (let round = 0; round < 5; round += 1) {
      await storage.commit([sql`DELETE FROM access_grants`, sql`DELETE FROM access_permission_schemas`], signal);
      await define(8);
      const granted = grant('long', { permission: METRICS, attributes: { tenant: 'longer' } });
      const outcomes = await outcomesOf([granted, define(3)]);
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1, `round ${round}: ${outcomes.join()}`);
    }
  });

  it('never leave a grant of a permission that is gone', async () => {
    for (let round = 0; round < 5; round += 1) {
      await storage.commit([sql`DELETE FROM access_grants`, sql`DELETE FROM access_permission_schemas`], signal);
      await define(8);
      const granted = grant('some', { permission: METRICS, attributes: {} });
      const deleted = inUnit((unit) => schemas.delete(unit, { name: METRICS, precondition: ANY, now: 2 }, signal));
      const outcomes = await outcomesOf([granted, deleted]);
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1, `round ${round}: ${outcomes.join()}`);
    }
  });

  it('have no place without their schema, even when nobody looked', async () => {
    await define(8);
    await grant('some', { permission: METRICS, attributes: {} });
    const removed = storage.commit([sql`DELETE FROM access_permission_schemas`], signal);
    await assert.rejects(removed, { code: 'REFERENCE_VIOLATED' });
  });

  for (const { why, column, value } of [
    { why: 'a role from the future', column: 'role', value: 'king' },
    { why: 'a kind of subject from the future', column: 'subject_kind', value: 'ghost' },
    { why: 'a subject with no name', column: 'subject_id', value: '' },
    { why: 'a kind of resource from the future', column: 'resource_kind', value: 'planet' },
    { why: 'a name that is none', column: 'name', value: 'A' },
  ]) {
    it(`are not believed when they hold ${why}`, async () => {
      await grant('one', { role: 'viewer' });
      await storage.commit([sql`UPDATE access_grants SET ${sql.raw(column)} = ${value}`], signal);
      await assert.rejects(names(), { code: 'STORED_ACCESS_INVALID' });
    });
  }

  for (const { why, column, value } of [
    { why: 'a resource type from the future', column: 'resource_type', value: 'planet' },
    { why: 'a schema that is no object', column: 'attributes_schema', value: '[]' },
    { why: 'a schema that is no JSON', column: 'attributes_schema', value: '{' },
    { why: 'roles that are no list', column: 'roles', value: '{}' },
    { why: 'a role that is none', column: 'roles', value: '[{"role": "king", "attributes": {}}]' },
    {
      why: 'a role twice',
      column: 'roles',
      value: `[${'{"role": "admin", "attributes": {}},'.repeat(2).slice(0, -1)}]`,
    },
  ]) {
    it(`are not believed when a permission schema holds ${why}`, async () => {
      await define(8);
      await storage.commit([sql`UPDATE access_permission_schemas SET ${sql.raw(column)} = ${value}`], signal);
      const read = new SqlPermissionSchemaReader(storage).find(METRICS, signal);
      await assert.rejects(read, { code: 'STORED_ACCESS_INVALID' });
    });
  }
});

/** `done`, or the error code of the refusal. */
async function outcomesOf(attempts: readonly Promise<unknown>[]): Promise<string[]> {
  const ended = await Promise.allSettled(attempts);
  return ended.map((end) => {
    if (end.status === 'fulfilled') return 'done';
    const reason: unknown = end.reason;
    if (reason instanceof FleetError) return reason.code;
    throw reason;
  });
}
