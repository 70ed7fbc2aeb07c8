import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { MAX_LABELS } from '#kit/std';
import { NewTargetSchema, TargetSchema } from '#protocol/api';
import { reportTarget } from '../domain/change-target.ts';
import { newTarget, parseTargetDraft, type RawTargetDraft } from '../domain/new-target.ts';
import type { Target } from '../domain/target.ts';
import { TargetError } from '../domain/target-error.ts';
import { placeAt, uidOf } from '../testing/a-target.ts';
import { toResource } from './target-resource.ts';

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);
const [acceptsDraft, acceptsResource] = [ajv.compile(NewTargetSchema), ajv.compile(TargetSchema)];

/** Around the bounds, where two descriptions of one rule may differ. */
const near = (unit: fc.Arbitrary<string>, bound: number): fc.Arbitrary<string> =>
  fc.oneof(fc.string({ unit, maxLength: 4 }), fc.string({ unit, minLength: bound - 1, maxLength: bound + 1 }));
const word = fc.oneof(near(fc.constantFrom('a', '0'), 63), near(fc.constantFrom('a', 'Z', '0', '-', '.', '\n'), 63));
const manifestType = fc.oneof(
  near(fc.constantFrom('a', '0'), 128),
  near(fc.constantFrom('a', 'Z', '-', '/', '.'), 128),
);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, '']));
const plain = { name: 'prod-1', type: 'kubernetes', workspace: 'root' };
const draft: fc.Arbitrary<RawTargetDraft> = fc.oneof(
  fc.record({ name: word, type: word, workspace: word }),
  word.map((name) => ({ ...plain, name })),
  fc.dictionary(fc.constantFrom('a', 'b'), word).map((labels) => ({ ...plain, labels })),
  fc.integer({ min: MAX_LABELS - 1, max: MAX_LABELS + 1 }).map((count) => ({ ...plain, labels: many(count) })),
  fc.array(manifestType, { maxLength: 3 }).map((types) => ({ ...plain, advertisedManifestTypes: types })),
  fc.integer({ min: 63, max: 65 }).map((count) => ({ ...plain, advertisedManifestTypes: Object.keys(many(count)) })),
);

test('what the domain accepts, the schema of a create accepts; and what it makes of it, the schema of an answer', () => {
  let accepted = 0;
  fc.assert(
    fc.property(draft, (raw) => {
      const target = registeredOrRefused(raw);
      if (target === undefined) return;
      accepted += 1;
      assert.ok(acceptsDraft(raw), ajv.errorsText(acceptsDraft.errors));
      assert.ok(acceptsResource(toResource(reported(target))), ajv.errorsText(acceptsResource.errors));
    }),
    { numRuns: 1_000 },
  );
  assert.ok(accepted > 300, `only ${accepted} drafts were accepted`);
});

function registeredOrRefused(raw: RawTargetDraft): Target | undefined {
  try {
    return newTarget(parseTargetDraft(raw), { workspace: placeAt('/root/'), uid: uidOf(1), now: 0 });
  } catch (error) {
    if (error instanceof TargetError) return undefined;
    throw error;
  }
}

function reported(target: Target): Target {
  const condition = { type: 'Ready', status: 'True', reason: 'Fine', message: '', observedGeneration: 1 } as const;
  const report = { labels: { 'agent.fleetshift.io/zone': 'a' }, properties: { a: [null] }, conditions: [condition] };
  return { ...reportTarget(target, report, 5), connection: { state: 'Connected', lastSeenTime: 5 } };
}
