import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS_EVENTS } from '#contexts/access';
import { ENROLMENT_EVENTS } from '#contexts/enrolment';
import { IDENTITY_EVENTS } from '#contexts/identity';
import { INDEX_EVENTS } from '#contexts/resource-index';
import { TARGET_EVENTS } from '#contexts/targets';
import { WORKSPACE_EVENTS } from '#contexts/workspaces';
import {
  DEPLOYMENT_EVENTS,
  DeploymentPatchSchema,
  IssuerPatchSchema,
  ServiceAccountPatchSchema,
  TargetPatchSchema,
  WorkspacePatchSchema,
} from '#protocol/api';
import { UsageError } from '../command.ts';
import { KINDS, kindNamed } from './kinds.ts';
import { placeOf } from './place.ts';
import { readThings, someThings } from './things.ts';

for (const { word, name } of [
  { word: 'workspaces', name: 'workspace' },
  { word: 'workspace', name: 'workspace' },
  { word: 'ws', name: 'workspace' },
  { word: 'Workspace', name: 'workspace' },
  { word: 'service-accounts', name: 'serviceaccount' },
  { word: 'service-account', name: 'serviceaccount' },
  { word: 'ServiceAccount', name: 'serviceaccount' },
  { word: 'permission-schemas', name: 'permissionschema' },
  { word: 'index-schemas', name: 'indexschema' },
  { word: 'IndexSchema', name: 'indexschema' },
  { word: 'audit', name: 'audit' },
  { word: 'deploy', name: 'deployment' },
  { word: 'deployments', name: 'deployment' },
  { word: 'approvals', name: 'approval' },
  { word: 'revision', name: 'revision' },
]) {
  test(`${word} is the kind ${name}`, () => assert.equal(kindNamed(word).name, name));
}

test('a slip is answered with what was meant', () => {
  assert.throws(() => kindNamed('tragets'), /did you mean targets\?/);
});

test('no word means two kinds', () => {
  const words = KINDS.flatMap(({ name, plural, short }) => [...new Set([name, plural]), ...(short ? [short] : [])]);
  assert.deepEqual(words, [...new Set(words)]);
});

test('every event that a kind waits for is one that there is', () => {
  const there: readonly string[] = [
    ...WORKSPACE_EVENTS,
    ...TARGET_EVENTS,
    ...ACCESS_EVENTS,
    ...IDENTITY_EVENTS,
    ...ENROLMENT_EVENTS,
    ...INDEX_EVENTS,
    ...DEPLOYMENT_EVENTS,
  ];
  const waited = KINDS.flatMap(({ events }) =>
    events === undefined ? [] : [...events.changed, ...events.gone, ...(events.left ?? [])],
  );
  assert.deepEqual(
    waited.filter((type) => !there.includes(type)),
    [],
  );
});

for (const { kind, schema } of [
  { kind: 'workspace', schema: WorkspacePatchSchema },
  { kind: 'target', schema: TargetPatchSchema },
  { kind: 'serviceaccount', schema: ServiceAccountPatchSchema },
  { kind: 'issuer', schema: IssuerPatchSchema },
  { kind: 'deployment', schema: DeploymentPatchSchema },
]) {
  test(`apply changes what the API lets change of a ${kind}`, () => {
    const patched = kindNamed(kind).apply?.patched ?? [];
    assert.deepEqual([...patched].sort(), Object.keys(schema.properties).sort());
  });
}

const named = (words: readonly string[]): string[] =>
  readThings(words).things.map(({ kind, name }) => `${kind.name}/${name}`);

for (const { why, words, want } of [
  { why: 'a kind alone', words: ['targets'], want: [] },
  { why: 'names behind their kind', words: ['target', 'a', 'b', 'a'], want: ['target/a', 'target/b'] },
  { why: 'each with its kind', words: ['target/a', 'ws/b'], want: ['target/a', 'workspace/b'] },
  { why: 'both, as scripts have it', words: ['target', 'target/a'], want: ['target/a'] },
]) {
  test(`things: ${why}`, () => assert.deepEqual(named(words), want));
}

for (const words of [['target/'], ['target/a', 'b'], ['target', 'ws/a'], ['target/a/b'], ['nothing/a']]) {
  test(`no things: ${words.join(' ')}`, () => assert.throws(() => named(words), UsageError));
}

test('what has no names is only listed', () => assert.throws(() => someThings(['audit', 'x'], 'describe'), UsageError));

for (const { why, kind, values, context, want } of [
  { why: 'what the context means', kind: 'targets', values: {}, context: 'web', want: 'web' },
  { why: 'what is said comes first', kind: 'targets', values: { workspace: 'a' }, context: 'web', want: 'a' },
  { why: 'all of them', kind: 'targets', values: { allWorkspaces: true }, context: 'web', want: undefined },
]) {
  test(`place: ${why}`, () => assert.equal(placeOf(kindNamed(kind), values, context).workspace, want));
}

for (const { kind, values } of [
  { kind: 'issuers', values: { workspace: 'web' } },
  { kind: 'targets', values: { serviceAccount: 'ci' } },
  { kind: 'targets', values: { workspace: 'a', allWorkspaces: true } },
  { kind: 'grants', values: { workspace: 'a', target: 'b' } },
  { kind: 'grants', values: { allWorkspaces: true } },
]) {
  test(`no place of ${kind}: ${JSON.stringify(values)}`, () => {
    assert.throws(() => placeOf(kindNamed(kind), values, undefined), UsageError);
  });
}
