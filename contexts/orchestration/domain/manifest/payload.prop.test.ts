import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, contentHash } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { fieldOf, isList, isObject } from './json.ts';
import { payloadOf } from './payload.ts';
import { diffPayloads } from './payload-diff.ts';
import { marked, withoutMarks } from './secret-mark.ts';
import { joinSecrets, maskSecrets, splitSecrets } from './split-secrets.ts';

/** Long and unlike anything else, so that finding one in a text means that it leaked. */
const secretText = fc.nat({ max: 5 }).map((number) => `S3CRET-${'x'.repeat(8)}-${number}`);
const key = fc.constantFrom('a', 'b', 'name', 'data', '$secretRef', '$$secretRef', '__proto__', 'constructor', 'x/y~z');
const leaf = fc.oneof(
  fc.constantFrom<Json>('', 'text', 0, 1, true, null),
  secretText.map((text): Json => marked(text)),
  secretText.map((text): Json => marked({ user: 'u', password: text })),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('json')), { maxLength: 4 }).map((entries): Json => Object.fromEntries(entries)),
  ),
}));
const kubernetesSecret = fc
  .record({ name: fc.constantFrom('one', 'two'), field: fc.constantFrom('data', 'stringData'), text: secretText })
  .map(
    ({ name, field, text }): Document => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      [field]: { a: text },
    }),
  );
const named = fc
  .record({ name: fc.constantFrom('one', 'two', 'three'), spec: json })
  .map(({ name, spec }): Document => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec }));
const nameless = json.map((spec): Document => ({ spec }));
const documents = fc.array(fc.oneof(named, kubernetesSecret, nameless), { maxLength: 5 });
/** Two lists of documents that differ little, or not at all. */
const pair = documents.chain((before) =>
  fc.tuple(fc.constant(before), fc.oneof(documents, fc.shuffledSubarray(before), fc.constant(before))),
);

const fingerprint = (secret: string): string => contentHash({ key: 'k', secret });

test('joined again, a split value is what it was, without marks', () => {
  fc.assert(
    fc.property(documents, (before) => {
      const { open, secrets } = splitSecrets<Json>(before, fingerprint);
      assert.deepEqual(joinSecrets(open, secrets), { kind: 'joined', value: withoutMarks(before) });
    }),
  );
});

test('no secret is in what is stored open, masked, hashed or shown as a difference', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const [old, fresh] = [payloadOf(before, fingerprint), payloadOf(after, fingerprint)];
      const seen = [
        old.documents,
        old.hash,
        maskSecrets<Json>(before),
        maskSecrets<Json>(old.documents),
        diffPayloads(old, fresh),
        diffPayloads(undefined, fresh),
        diffPayloads(old, undefined),
      ];
      assert.doesNotMatch(JSON.stringify(seen), /S3CRET/);
      // Users do not see the fingerprints of secrets either.
      assert.doesNotMatch(JSON.stringify(seen.slice(2)), /sha256:/);
    }),
  );
});

test('each secret has to be sealed: none is missing among those split off', () => {
  fc.assert(
    fc.property(documents, (before) => {
      const all = new Set(JSON.stringify(before).match(/S3CRET-x+-\d/g));
      const split = new Set(JSON.stringify(payloadOf(before, fingerprint).secrets).match(/S3CRET-x+-\d/g));
      assert.deepEqual(split, all);
    }),
  );
});

test('there is a difference exactly when the hashes differ', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const [old, fresh] = [payloadOf(before, fingerprint), payloadOf(after, fingerprint)];
      assert.equal(diffPayloads(old, fresh).length === 0, old.hash === fresh.hash);
    }),
  );
});

test('the hash is that of the content: equal for equal delivered content, in whatever order it was named', () => {
  const unique = fc.uniqueArray(named, { selector: (document) => canonicalJson(document['metadata']) });
  fc.assert(
    fc.property(
      unique.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([before, after]) => {
        assert.equal(payloadOf(after, fingerprint).hash, payloadOf(before, fingerprint).hash);
      },
    ),
  );
});

test('each change of a field is true of the documents, and together they make the one out of the other', () => {
  const open = documents.map((all) => all.map((document) => withoutMarks(document) as Document).filter(isOpen));
  fc.assert(
    fc.property(open, open, (before, after) => {
      const [a, b] = [before[0] ?? {}, after[0] ?? {}];
      const [old, fresh] = [{ all: a }, { all: b }];
      const [change] = diffPayloads(payloadOf([old], fingerprint), payloadOf([fresh], fingerprint));
      assert.deepEqual(patched(old, change?.fields ?? []), fresh);
    }),
  );
});

function isOpen(document: Document): boolean {
  return fieldOf(document, 'kind') !== 'Secret';
}

/** Applies the changes to a copy. Removals from a list go from its end, so that positions stay valid. */
function patched(document: JsonObject, changes: ReturnType<typeof diffPayloads>[number]['fields']): Json {
  let result: Json = document;
  const inOrder = [...changes.filter(({ kind }) => kind !== 'removed'), ...changes.filter(isRemoval).reverse()];
  for (const { path, kind, after } of inOrder) {
    result = edit(result, path.split('/').slice(1).map(unescape), { kind, after: after ?? null });
  }
  return result;
}

function isRemoval({ kind }: { readonly kind: string }): boolean {
  return kind === 'removed';
}

function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function edit(value: Json, [step, ...rest]: readonly string[], change: { kind: string; after: Json }): Json {
  if (step === undefined) return change.after;
  if (isList(value)) {
    const place = Number(step);
    const item = value[place] ?? null;
    if (rest.length > 0) return value.with(place, edit(item, rest, change));
    if (change.kind === 'removed') return value.toSpliced(place, 1);
    return value.toSpliced(place, change.kind === 'added' ? 0 : 1, change.after);
  }
  assert.ok(isObject(value));
  const entries = new Map(Object.entries(value));
  if (rest.length === 0 && change.kind === 'removed') entries.delete(step);
  else entries.set(step, edit(entries.get(step) ?? null, rest, change));
  return Object.fromEntries(entries);
}
