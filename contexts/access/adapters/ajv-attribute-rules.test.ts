import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AjvAttributeRules } from './ajv-attribute-rules.ts';

const rules = new AjvAttributeRules();
const places = (schema: Record<string, unknown>) => rules.schemaFaults(schema).map(({ path }) => path);
const objectOf = (tenant: unknown) => ({ type: 'object', properties: { tenant } });
const nested = (depth: number): unknown => (depth === 0 ? true : { type: 'array', items: nested(depth - 1) });

describe('a schema of attributes', () => {
  for (const { why, schema } of [
    { why: 'without attributes', schema: { type: 'object', additionalProperties: false } },
    { why: 'with a choice', schema: objectOf({ enum: ['a', 'b'] }) },
    { why: 'with lists of objects', schema: objectOf({ type: 'array', items: objectOf({ type: 'integer' }) }) },
    {
      why: 'with an attribute that is called like a keyword',
      schema: { type: 'object', properties: { $ref: { type: 'string' } } },
    },
    { why: 'with alternatives', schema: objectOf({ anyOf: [{ type: 'string' }, { type: 'boolean' }] }) },
    { why: 'of arbitrary depth within reason', schema: objectOf(nested(10)) },
  ]) {
    it(`can be used ${why}`, () => assert.deepEqual(rules.schemaFaults(schema), []));
  }

  for (const { why, schema, want } of [
    { why: 'it is not of an object', schema: { type: 'array' }, want: ['/type'] },
    { why: 'it has no type', schema: {}, want: ['/type'] },
    {
      why: 'a pattern could take for ever',
      schema: objectOf({ type: 'string', pattern: '(a+)+$' }),
      want: ['/properties/tenant/pattern'],
    },
    { why: 'so could one for names', schema: { type: 'object', patternProperties: {} }, want: ['/patternProperties'] },
    {
      why: 'a reference leads elsewhere',
      schema: objectOf({ $ref: 'https://example.com/schema' }),
      want: ['/properties/tenant/$ref'],
    },
    {
      why: 'a keyword is deep inside',
      schema: objectOf({ anyOf: [{ not: { format: 'x' } }] }),
      want: ['/properties/tenant/anyOf/0/not/format'],
    },
    { why: 'a type is none', schema: objectOf({ type: 'text' }), want: [''] },
    { why: 'something else stands in the place of a schema', schema: objectOf('string'), want: ['/properties/tenant'] },
    { why: 'it is too deep', schema: objectOf(nested(20)), want: [`/properties/tenant${'/items'.repeat(16)}`] },
    { why: 'it is too long', schema: { type: 'object', description: 'x'.repeat(17_000) }, want: [''] },
  ]) {
    it(`cannot be used when ${why}`, () => assert.deepEqual(places(schema), want));
  }
});

describe('values of attributes', () => {
  const schema = { ...objectOf({ type: 'string' }), required: ['tenant'], additionalProperties: false };

  it('are judged one by one, each fault with its place', () => {
    const values = [{ tenant: 'a' }, {}, { tenant: 1 }, { tenant: 'a', other: 1 }];
    const faults = rules.valueFaults(schema, values).map((found) => found.map(({ path }) => path));
    assert.deepEqual(faults, [[], ['/tenant'], ['/tenant'], ['/other']]);
  });

  it('are not so many that a grant grows without bounds', () => {
    const [faults = []] = rules.valueFaults(schema, [{ tenant: 'x'.repeat(5_000) }]);
    assert.deepEqual(
      faults.map(({ path }) => path),
      [''],
    );
  });

  it('are judged by the schema of the moment, not by an earlier one', () => {
    const changing = objectOf({ type: 'string' });
    assert.deepEqual(rules.valueFaults(changing, [{ tenant: 'a' }]), [[]]);
    changing.properties.tenant = { type: 'integer' };
    assert.equal(rules.valueFaults(changing, [{ tenant: 'a' }])[0]?.length, 1);
  });
});
