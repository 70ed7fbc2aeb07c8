import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Json, JsonObject } from '#kit/std';
import { DeploymentDraftSchema, DeploymentSchema } from '#protocol/api';
import { withStatus } from '../../domain/deployment/status/with-status.ts';
import { aDeployment } from '../../testing/a-revision.ts';
import { toResource } from './deployment-resource.ts';
import { draftShape } from './draft-shape.ts';

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);
const accepts = ajv.compile(closed(DeploymentDraftSchema) as object);
const acceptsResource = ajv.compile(closed(DeploymentSchema) as object);

const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const gates = [
  { type: 'wait', duration: '1h' },
  { type: 'approval', requireDistinctApprover: true, expiry: '1d' },
  { type: 'health', stableDuration: '5m', timeout: '1h' },
  { type: 'deploymentHealth', deployment: 'db', stableDuration: '5m', timeout: '1h' },
];
const stage = {
  name: 'canary',
  selector,
  maxConcurrency: '50%',
  beforeTasks: gates,
  afterTasks: gates,
  failurePolicy: 'rollback',
};
const budget = { maxConcurrency: 1, minAvailable: '10%', maxUnavailable: 2, maxFailures: 0, maxRemoval: '5%' };
const pace = { progressDeadline: '1m', offlinePolicy: 'skip', offlineDeadline: '1h', onCollision: 'queue' };

/** Together these use everything that the API accepts. */
const WHOLE: readonly JsonObject[] = [
  {
    labels: { a: 'b' },
    manifest: { type: 'inline', documents: [{ kind: 'Note' }], targetTypes: ['directory'] },
    placement: [{ type: 'selector', ...selector }, { type: 'all' }],
    rollout: {
      type: 'immediate',
      ...budget,
      ...pace,
      failurePolicy: 'pause',
      removal: { order: 'last', maxConcurrency: 1 },
    },
    healthRules: [{ apiGroup: 'apps', kind: 'Deployment', healthy: 'true' }],
    driftPolicy: 'repair',
    namespace: 'shop',
    config: { a: [null] },
    rolloutState: 'paused',
  },
  {
    name: 'web',
    manifest: {
      type: 'template',
      documents: [],
      template: 'a: 1',
      values: { a: 1 },
      overrides: [{ selector, values: { a: 2 } }],
      targets: { edge: { a: 3 } },
    },
    placement: [
      { type: 'static', targets: ['a'] },
      {
        type: 'scored',
        top: 1,
        weights: [
          { type: 'reported', score: 'cost', weight: -1 },
          { type: 'load', weight: 1 },
          { type: 'spread', label: 'zone', weight: 0.5 },
        ],
        hysteresis: 0,
        maxScoreAge: '1m',
      },
    ],
    rollout: {
      type: 'staged',
      stages: [stage],
      removal: { order: 'withStage', beforeTasks: gates, afterTasks: gates },
    },
  },
  {
    manifest: {
      type: 'deploymentGroup',
      deployments: [{ name: 'a', any: 1 }],
      sequence: [{ step: ['a'] }],
      onFailure: 'halt',
    },
    placement: [{ type: 'local' }],
    rollout: { type: 'rolling', batchSize: '25%' },
  },
];

const WRONG: readonly Json[] = [null, 0, 1.5, -1, '', 'x', '1%', 'UPPER', true, [], {}, [null], { type: 'nobody' }];

/** The same with one value, at any depth, replaced, removed or added. */
const broken = fc
  .tuple(
    fc.constantFrom(...WHOLE),
    fc.nat(),
    fc.constantFrom<'replace' | 'drop' | 'add'>('replace', 'drop', 'add'),
    fc.constantFrom(...WRONG),
  )
  .map(([whole, nth, how, wrong]) => {
    const copy = JSON.parse(JSON.stringify(whole)) as JsonObject;
    const places = placesIn(copy);
    const place = places[nth % places.length];
    if (place !== undefined) breakAt(place, how, wrong);
    return copy;
  });

test('a draft that did not come through the API is held to the schema of the API, no more and no less', () => {
  let refused = 0;
  fc.assert(
    fc.property(broken, (draft) => {
      const isAccepted = accepts(draft);
      const faults = draftShape(draft, '');
      refused += isAccepted ? 0 : 1;
      assert.equal(faults.length === 0, isAccepted, `${JSON.stringify(faults)} ${ajv.errorsText(accepts.errors)}`);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(refused > 1_000, `only ${refused} were refused`);
});

test('everything that can be written down is accepted by both', () => {
  for (const draft of WHOLE) {
    assert.ok(accepts(draft), ajv.errorsText(accepts.errors));
    assert.deepEqual(draftShape(draft, ''), []);
  }
});

describe('what is wrong with a shape is told', () => {
  for (const { why, draft, want } of [
    {
      why: 'of the type that was chosen alone',
      draft: { manifest: { type: 'inline', document: [] } },
      want: ['/manifest/documents', '/manifest/document'],
    },
    { why: 'of a type that nobody knows', draft: { manifest: { type: 'x' } }, want: ['/manifest/type'] },
    { why: 'of what is missing', draft: {}, want: ['/manifest'] },
    {
      why: 'deep inside',
      draft: { ...WHOLE[1], rollout: { type: 'staged', stages: [{ ...stage, beforeTasks: [{ type: 'wait' }] }] } },
      want: ['/rollout/stages/0/beforeTasks/0/duration'],
    },
    { why: 'of a key with a slash', draft: { ...WHOLE[0], labels: { 'a/b': '-' } }, want: ['/labels/a~1b'] },
  ] satisfies { why: string; draft: JsonObject; want: string[] }[]) {
    it(why, () => {
      const places = draftShape(draft, '').map(({ path }) => path);
      assert.deepEqual(places, want);
    });
  }
});

test('whatever a deployment goes through, the API can show it', () => {
  const wait = {
    kind: 'gate',
    since: 1,
    until: 2,
    message: 'm',
    unblock: 'u',
    gate: 'g',
    count: 1,
    targets: ['a'],
  } as never;
  const step = {
    name: 's',
    fate: 'open',
    targets: 1,
    done: 0,
    failed: 0,
    underWay: 1,
    gate: { id: 'g', type: 'wait', since: 1 },
  } as const;
  const rollout = {
    revision: 1,
    phase: 'Paused',
    since: 1,
    startTime: 1,
    reason: 'GateRejected',
    message: 'm',
    requestedBy: 'a',
    trigger: 't',
    steps: [step],
    waits: [wait],
  } as const;
  const excluded = [{ id: 'a', why: 'Cordoned', message: 'm' }] as never;
  const placement = { kind: 'unsure', why: 'w', excluded, retained: excluded, missing: ['x'], held: excluded } as const;
  const trouble = { reason: 'PlanFailed', message: 'm', since: 1 };
  const owner = { group: aDeployment().uid, child: 'db' };
  const spec = { ...aDeployment().spec, namespace: 'x', config: { a: { $secretRef: 'r' } } };
  const standing = withStatus(
    aDeployment({ owner, spec, deletion: { time: 1, by: 'a' } }),
    { rollout: 1, status: { rollout, placement, trouble } },
    5,
  );
  for (const deployment of [aDeployment(), standing]) {
    assert.ok(acceptsResource(toResource(deployment)), ajv.errorsText(acceptsResource.errors));
  }
  assert.partialDeepStrictEqual(toResource(standing), {
    config: { a: '[redacted]' },
    status: { rollout: { waits: [{ since: '1970-01-01T00:00:00.001Z' }] } },
  });
});

interface Place {
  readonly holder: Record<string, Json> | Json[];
  readonly key: string | number;
}

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Place['holder'];
  return Object.entries(value).flatMap(([key, field]) => [{ holder, key }, ...placesIn(field)]);
}

function breakAt({ holder, key }: Place, how: 'replace' | 'drop' | 'add', wrong: Json): void {
  if (Array.isArray(holder)) {
    if (how === 'add') holder.push(wrong);
    else holder.splice(Number(key), 1, ...(how === 'replace' ? [wrong] : []));
  } else if (how === 'drop') delete holder[key];
  else holder[how === 'add' ? 'unheardOf' : key] = wrong;
}

/** As the server closes it: an object accepts only the fields that it names, unless it says otherwise. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in schema && 'type' in schema && schema.type === 'object'
    ? { additionalProperties: false, ...inner }
    : inner;
}
