import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { MAX_LABELS } from '#kit/std';
import { NewWorkspaceSchema, WorkspaceSchema } from '#protocol/api';
import { newWorkspace, parseDraft, type RawDraft, type WorkspaceDraft } from '../domain/new-workspace.ts';
import { WorkspaceError } from '../domain/workspace-error.ts';
import { theRoot, uidOf } from '../testing/a-workspace.ts';
import { toResource } from './workspace-resource.ts';

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);
const [acceptsDraft, acceptsResource] = [ajv.compile(NewWorkspaceSchema), ajv.compile(WorkspaceSchema)];

/** Around the bounds, where two descriptions of one rule may differ. */
const near = (unit: fc.Arbitrary<string>, bound: number): fc.Arbitrary<string> =>
  fc.oneof(fc.string({ unit, maxLength: 4 }), fc.string({ unit, minLength: bound - 1, maxLength: bound + 1 }));
const word = fc.oneof(near(fc.constantFrom('a', '0'), 63), near(fc.constantFrom('a', 'Z', '0', '-', '.', '\n'), 63));
const text = fc.oneof(near(fc.constantFrom('a', '🗼', 'é'), 128), near(fc.constantFrom('a', ' ', '\0'), 128));
const labels = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b'), word),
  fc.integer({ min: MAX_LABELS - 1, max: MAX_LABELS + 1 }).map(manyLabels),
);
const name = fc.constant('web');
const draft: fc.Arbitrary<RawDraft> = fc.oneof(
  fc.record({ name: word }),
  fc.record({ name, kind: fc.constantFrom('folder', 'domain', 'galaxy') }),
  fc.record({ name, kind: fc.constant('domain'), slug: word }),
  fc.record({ name, kind: fc.constant('domain'), region: word }),
  fc.record({ name, parent: word }),
  fc.record({ name, displayName: text }),
  fc.record({ name, labels }),
);

test('what the domain accepts, the schema of a create accepts; and what it makes of it, the schema of an answer', () => {
  let accepted = 0;
  fc.assert(
    fc.property(draft, (raw) => {
      const parsed = parsedOrRefused(raw);
      if (parsed === undefined) return;
      accepted += 1;
      assert.ok(acceptsDraft(raw), ajv.errorsText(acceptsDraft.errors));
      const workspace = newWorkspace(parsed, { parent: theRoot(), project: undefined, uid: uidOf(1), now: 0 });
      assert.ok(acceptsResource(toResource(workspace)), ajv.errorsText(acceptsResource.errors));
    }),
    { numRuns: 1_000 },
  );
  assert.ok(accepted > 300, `only ${accepted} drafts were accepted`);
});

function parsedOrRefused(raw: RawDraft): WorkspaceDraft | undefined {
  try {
    return parseDraft(raw);
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

function manyLabels(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, '']));
}
