import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiDocument, describeApi } from './describe-api.ts';
import { describeHelp, describeMetrics, describeProto, describeTable } from './describe-sources.ts';

const WORKSPACE = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, description: { type: 'string', description: 'For people.' } },
};

function apiWith(change: {
  readonly operation?: object;
  readonly schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}): ApiDocument {
  const operation = {
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    parameters: [{ in: 'query', name: 'dryRun', schema: { type: 'boolean' } }],
    responses: { '201': { headers: { ETag: {} }, content: { 'application/json': { schema: { type: 'object' } } } } },
    ...change.operation,
  };
  return {
    paths: { '/v1/workspaces': { post: operation } },
    components: { schemas: { Workspace: { ...WORKSPACE, ...change.schema } } },
  };
}

describe('the description of the API', () => {
  it('has a line for each operation, parameter, answer and field', () => {
    assert.deepEqual(describeApi(apiWith({})), [
      'POST /v1/workspaces createWorkspace',
      '  query dryRun {"type":"boolean"}',
      '  answers 201 application/json {"type":"object"} headers ETag',
      'schema Workspace {"type":"object"}',
      '  description {"type":"string"}',
      '  name (required) {"type":"string"}',
    ]);
  });

  const { name: _, ...others } = WORKSPACE.properties;
  const cases = [
    { why: 'another operation', change: { operation: { operationId: 'makeWorkspace' } }, isPublic: true },
    { why: 'a parameter that is gone', change: { operation: { parameters: [] } }, isPublic: true },
    { why: 'another status', change: { operation: { responses: { '200': {} } } }, isPublic: true },
    { why: 'another permission', change: { operation: { 'x-permission': 'root' } }, isPublic: true },
    { why: 'a field that is gone', change: { schema: { properties: others } }, isPublic: true },
    { why: 'a field that may be missing', change: { schema: { required: [] } }, isPublic: true },
    {
      why: 'a value that is refused now',
      change: { schema: { properties: { ...WORKSPACE.properties, name: { type: 'string', maxLength: 63 } } } },
      isPublic: true,
    },
    { why: 'a better summary', change: { operation: { summary: 'Create it' } }, isPublic: false },
    {
      why: 'fields in another order',
      change: { schema: { properties: { description: { type: 'string' }, name: { type: 'string' } } } },
      isPublic: false,
    },
  ];
  for (const { why, change, isPublic } of cases) {
    it(`${isPublic ? 'shows' : 'does not show'} ${why}`, () => {
      const [before, after] = [describeApi(apiWith({})), describeApi(apiWith(change))];
      assert.equal(after.join('\n') !== before.join('\n'), isPublic);
    });
  }
});

describe('the description of metrics', () => {
  it('has names, kinds and labels, also of those that a function declares', () => {
    const text = `
      const labels = ['controller'] as const;
      metrics.gauge({ name: 'active', help: 'a; b', labels });
      metrics.histogram({ name: 'took_seconds', help: '', labels: ['a', 'b'], buckets: [1] });
      const gauge = (name: string, help: string) => metrics.gauge({ name: \`of_\${name}\`, help });
      gauge('one', '');
      gauge(
        'two', '');`;
    assert.deepEqual(describeMetrics(new Map([['a.ts', text]])), [
      'active gauge {controller}',
      'of_one gauge',
      'of_two gauge',
      'took_seconds histogram {a, b}',
    ]);
  });

  it('fails on a declaration that it cannot read', () => {
    assert.throws(() => describeMetrics(new Map([['a.ts', 'metrics.counter({ name: NAME })']])), /a\.ts/);
  });
});

describe('the description of texts', () => {
  it('has what a command takes, and no explanation', () => {
    const help = [
      'Usage: fleetshift get KIND [flags]',
      '',
      'Lists resources.',
      '',
      '  targets (tgt)   clusters',
      'Place:',
      '  --limit N       The maximum',
      '                  number.',
      '  --output table|wide',
      '                  Format.',
    ].join('\n');
    assert.deepEqual(describeHelp(help), [
      'Usage: fleetshift get KIND [flags]',
      '  targets (tgt)',
      '  --limit N',
      '  --output table|wide',
    ]);
  });

  it('has messages without comments', () => {
    const text = '// About it.\nmessage A {\n\n  string id = 1; // An id.\n}\n';
    assert.deepEqual(describeProto(text), ['message A {', '  string id = 1;', '}']);
  });

  it('has a line for each column of a table', () => {
    const table = 'CREATE TABLE a (\n  id TEXT PRIMARY KEY,\n  CHECK (id IN (1, 2)),\n  UNIQUE (id, b)\n)';
    assert.deepEqual(describeTable(table), [
      'CREATE TABLE a',
      '  id TEXT PRIMARY KEY',
      '  CHECK (id IN (1, 2))',
      '  UNIQUE (id, b)',
    ]);
    assert.deepEqual(describeTable('CREATE INDEX b ON a (id,\n  b)'), ['CREATE INDEX b ON a (id, b)']);
  });
});
