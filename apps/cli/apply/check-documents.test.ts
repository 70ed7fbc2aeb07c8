import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../command.ts';
import { applyOrder } from './apply-order.ts';
import { checkDocuments, type Workspaces } from './check-documents.ts';
import { parseDocuments } from './read-documents.ts';

const NO_WORKSPACE: Workspaces = { said: undefined, meant: undefined };

function check(text: string, workspaces: Workspaces = NO_WORKSPACE) {
  return checkDocuments(parseDocuments('x.yaml', text), workspaces);
}

test('what others stand on comes first, whatever was written first', async () => {
  const documents = await check(`
kind: Grant
name: g
workspace: web
spec: { subject: { kind: user, id: a }, role: viewer }
---
{ "kind": "Target", "name": "t", "workspace": "web", "spec": { "type": "kubernetes" } }
---
kind: Workspace
name: web
spec: { parent: shop }
---
kind: Workspace
name: shop
---
`);
  assert.deepEqual(
    applyOrder(documents).map(({ key }) => key),
    ['workspace/shop', 'workspace/web', 'target/t', 'grant/g'],
  );
});

test('a circle is found before anything is sent', async () => {
  const text = 'kind: Workspace\nname: a\nspec: {parent: b}\n---\nkind: Workspace\nname: b\nspec: {parent: a}\n';
  const documents = await check(text);
  assert.throws(
    () => applyOrder(documents),
    /nothing was sent: cyclic dependency: workspace\/a is in workspace\/b is in workspace\/a/,
  );
});

const TARGET = 'kind: Target\nname: t\nspec: {type: x}\n';

for (const { why, text, workspaces = NO_WORKSPACE, place } of [
  { why: 'of the document', text: `${TARGET}workspace: a\n`, place: { workspace: 'a' } },
  { why: 'of the flag', text: TARGET, workspaces: { said: 'b', meant: 'c' }, place: { workspace: 'b' } },
  { why: 'of the context', text: TARGET, workspaces: { said: undefined, meant: 'c' }, place: { workspace: 'c' } },
  {
    why: 'of a grant on a target',
    text: 'kind: Grant\nname: g\ntarget: t\nspec: {subject: {kind: user, id: a}, role: admin}',
    place: { target: 't' },
  },
  {
    why: 'of what is in no workspace',
    text: 'kind: Workspace\nname: w\n',
    workspaces: { said: 'b', meant: 'c' },
    place: {},
  },
]) {
  test(`the place ${why}`, async () => assert.deepEqual((await check(text, workspaces))[0]?.place, place));
}

for (const { why, text, says, workspaces = NO_WORKSPACE } of [
  { why: 'an unknown kind', text: 'kind: Workspce\nname: a', says: /document 1: .*did you mean Workspace\?/ },
  {
    why: 'an object of a cluster',
    text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}',
    says: /Kubernetes object \(v1, ConfigMap\), to be delivered; use "fleetshift deploy NAME --file/,
  },
  { why: 'no kind', text: 'name: a', says: /\/kind is missing/ },
  { why: 'a kind that is not applied', text: 'kind: Session\nname: a', says: /"Session" is not one of/ },
  { why: 'an unknown field', text: 'kind: Workspace\nname: a\nspec: {reigon: x}', says: /\/spec\/reigon: .*region\?/ },
  {
    why: 'a field of another kind',
    text: 'kind: Workspace\nname: a\nworkspace: x',
    says: /\/workspace: unknown field/,
  },
  {
    why: 'an unknown field further down',
    text: 'kind: Grant\nname: a\nworkspace: w\nspec: {subject: {kind: user, id: a, x: 1}, role: admin}',
    says: /\/spec\/subject\/x: unknown field/,
  },
  { why: 'a wrong name', text: 'kind: Workspace\nname: A_b', says: /\/name must match/ },
  { why: 'a wrong value', text: 'kind: Workspace\nname: a\nspec: {kind: galaxy}', says: /folder, domain, project/ },
  { why: 'something missing', text: 'kind: Target\nname: a\nworkspace: w', says: /spec/ },
  {
    why: 'null where nothing can be taken away',
    text: 'kind: Workspace\nname: a\nspec: {kind: null}',
    says: /cannot be null/,
  },
  { why: 'no map', text: '- a', says: /a document must be a map/ },
  { why: 'no YAML', text: 'a: [', says: /at line \d/ },
  { why: 'an alias of nothing', text: 'kind: *nothing', says: /no anchor/ },
  {
    why: 'the same twice',
    text: 'kind: Workspace\nname: a\n---\nkind: Workspace\nname: a',
    says: /document 2: workspace\/a is in x\.yaml, document 1 as well/,
  },
  { why: 'no workspace', text: TARGET, says: /\/workspace is missing/ },
  {
    why: 'two workspaces',
    text: `${TARGET}workspace: a`,
    workspaces: { said: 'b', meant: undefined },
    says: /--workspace says b/,
  },
]) {
  test(`refused: ${why}, beside everything else that is wrong`, async () => {
    const bad = `${text}\n---\nkind: Nonsense\n`;
    await assert.rejects(check(bad, workspaces), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /^nothing was sent:/);
      assert.match(error.message, says);
      assert.match(error.message, /"Nonsense" is not one of/);
      return true;
    });
  });
}
