import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sealSpec } from '../domain/deployment/sealed-spec.ts';
import { maskSecrets } from '../domain/manifest/split-secrets.ts';
import { templateManifest } from '../domain/manifest/template/template-manifest.ts';
import { readTemplateText } from './read-template-text.ts';

const strategy = templateManifest({ readText: readTemplateText });
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {mode: plain}\n';
const secret = (data: string, kind = 'Secret') => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: s}\n${data}\n`;

function hidden(template: string) {
  return strategy.hide({ type: 'template', template });
}

describe('a template text', () => {
  for (const { why, text } of [
    { why: 'a Secret', text: secret('data: {password: aHVudGVyMg==}') },
    { why: 'a Secret in a later document', text: `${MAP}---\n${secret('stringData: {password: hunter2}')}` },
    {
      why: 'a Secret in a list',
      text: 'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, data: {a: aHU=}}]',
    },
    {
      why: 'a list of Secrets',
      text: 'apiVersion: v1\nkind: SecretList\nitems: [{metadata: {name: a}, data: {a: aHU=}}]',
    },
    { why: 'what may become a Secret', text: secret('data: {password: aHVudGVyMg==}', '${values.kind}') },
    { why: 'a Secret whose kind is spelled otherwise', text: secret('data: {a: aHU=}', '"\\x53ecret"') },
    { why: 'a Secret behind an anchor', text: `${MAP}x: &p hunter2\n---\n${secret('stringData: {a: hunter2}')}` },
    { why: 'a literal beside an expression', text: secret('stringData: {url: "pg://u:hunter2@${values.host}"}') },
    { why: 'a literal in an expression', text: secret('stringData: {p: \'${has(values.p) ? values.p : "hunter2"}\'}') },
    { why: 'a number', text: secret('stringData: {pin: 12345678}') },
    { why: 'a mark in another kind', text: 'apiVersion: v1\nkind: ConfigMap\ndata: {p: {$secret: hunter2}}' },
    {
      why: 'what kubectl noted',
      text: 'apiVersion: v1\nkind: Secret\nmetadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: x}}',
    },
  ]) {
    it(`is secret as a whole with ${why}`, () => {
      const spec = hidden(text);
      assert.deepEqual(spec.template, { $secret: text });
      assert.equal((maskSecrets(spec as never) as typeof spec).template, '[redacted]');
      const kept = sealSpec({ manifest: spec } as never, () => 'reference');
      assert.deepEqual(kept.spec.manifest, { type: 'template', template: { $secretRef: 'reference' } });
      assert.equal(strategy.parse(spec, '').kind, 'parsed');
    });
  }

  for (const { why, text } of [
    { why: 'other kinds', text: MAP },
    { why: 'a Secret that names what is secret', text: secret("data: {p: '${base64(values.db.password)}'}") },
    { why: 'a mark around a name', text: "kind: ConfigMap\ndata: {p: {$secret: '${values.password}'}}" },
    { why: 'a Secret without data', text: secret('type: Opaque') },
    { why: 'what may become something else', text: 'apiVersion: apps/v1\nkind: ${values.kind}\ndata: {a: b}' },
  ]) {
    it(`stays readable with ${why}`, () => assert.equal(hidden(text).template, text));
  }
});
