import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document } from '#protocol/delivery';
import { desiredFiles } from './desired-file.ts';

const FILE = { apiVersion: 'directory.fleetshift.io/v1', kind: 'File' };
const CHECK = { apiVersion: 'directory.fleetshift.io/v1', kind: 'HealthCheck' };

function desired(documents: readonly Document[], allowsCommands = false) {
  return desiredFiles(documents, { namespace: 'shop', allowsCommands, render: (document) => JSON.stringify(document) });
}

function files(documents: readonly Document[]) {
  const found = desired(documents);
  assert.equal(found.kind, 'desired', found.kind === 'fault' ? found.message : '');
  return found.kind === 'desired'
    ? found.files.map(({ path, content, mode, adopts }) => ({
        path,
        content: new TextDecoder().decode(content),
        mode: mode.toString(8),
        adopts,
      }))
    : [];
}

describe('documents', () => {
  it('are files as they say', () => {
    assert.deepEqual(
      files([
        { ...FILE, path: 'etc/app.conf', content: 'hi\n' },
        { ...FILE, path: 'bin/run', contentBase64: 'aGk=', mode: '755', onConflict: 'adopt' },
      ]),
      [
        { path: 'etc/app.conf', content: 'hi\n', mode: '644', adopts: false },
        { path: 'bin/run', content: 'hi', mode: '755', adopts: true },
      ],
    );
  });

  it('with something secret are for their owner alone, unless they say otherwise', () => {
    const documents = [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: {} },
      { ...FILE, path: 'a', content: 'x' },
      { ...FILE, path: 'b', content: 'x' },
      { ...FILE, path: 'c', content: 'x', mode: '0640' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } },
    ];
    const secretPlaces = ['/2/content', '/3/content', '/4/data/password'];
    const found = desiredFiles(documents, { namespace: 'shop', allowsCommands: false, render: () => '', secretPlaces });
    assert.deepEqual(
      found.kind === 'desired' && found.files.map(({ path, mode, isSecret }) => [path, mode.toString(8), isSecret]),
      [
        ['shop/secret/login.yaml', '600', true],
        ['a', '644', false],
        ['b', '600', true],
        ['c', '640', true],
        ['shop/configmap/web.yaml', '600', true],
      ],
    );
  });

  it('of other kinds are files below their namespace and kind', () => {
    const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };
    const other = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web', namespace: 'other' } };
    assert.deepEqual(
      files([web, other]).map(({ path }) => path),
      ['shop/configmap/web.yaml', 'other/secret/web.yaml'],
    );
    assert.equal(files([web])[0]?.content, JSON.stringify(web));
  });

  const REFUSED: readonly { readonly why: RegExp; readonly documents: readonly Document[] }[] = [
    { why: /neither a File/, documents: [{ hello: 1 }] },
    {
      why: /Document 2: path is missing/,
      documents: [
        { ...FILE, path: 'a', content: '' },
        { ...FILE, content: '' },
      ],
    },
    { why: /either content or/, documents: [{ ...FILE, path: 'a' }] },
    { why: /either content or/, documents: [{ ...FILE, path: 'a', content: '', contentBase64: '' }] },
    { why: /not base64/, documents: [{ ...FILE, path: 'a', contentBase64: '%%' }] },
    { why: /octal/, documents: [{ ...FILE, path: 'a', content: '', mode: 644 }] },
    { why: /octal/, documents: [{ ...FILE, path: 'a', content: '', mode: '4755' }] },
    { why: /must be fail or adopt/, documents: [{ ...FILE, path: 'a', content: '', onConflict: 'force' }] },
    { why: /unknown field contents/, documents: [{ ...FILE, path: 'a', contents: '' }] },
    { why: /absolute/, documents: [{ ...FILE, path: '/a', content: '' }] },
    { why: /kind is "Link"/, documents: [{ ...FILE, kind: 'Link' }] },
    { why: /has a slash/, documents: [{ apiVersion: 'v1', kind: 'A', metadata: { name: '../../a' } }] },
    { why: /part \.\./, documents: [{ apiVersion: 'v1', kind: 'A', metadata: { name: 'a', namespace: '..' } }] },
    {
      why: /Two documents describe the file a/,
      documents: [
        { ...FILE, path: 'a', content: '' },
        { ...FILE, path: 'a', content: '1' },
      ],
    },
    {
      why: /case-insensitive/,
      documents: [
        { ...FILE, path: 'a', content: '' },
        { ...FILE, path: 'A', content: '' },
      ],
    },
    {
      why: /cannot be the folder of a\/b/,
      documents: [
        { ...FILE, path: 'a/b', content: '' },
        { ...FILE, path: 'a', content: '' },
      ],
    },
    { why: /--allow-commands/, documents: [{ ...CHECK, command: ['true'] }] },
  ];
  for (const { why, documents } of REFUSED) {
    it(`are refused: ${why.source}`, () => {
      const found = desired(documents);
      assert.equal(found.kind, 'fault');
      assert.match(found.kind === 'fault' ? found.message : '', why);
    });
  }

  it('may say how health is looked at, once and where commands are allowed', () => {
    const check = { ...CHECK, command: ['curl', '-f', 'http://localhost'], intervalSeconds: 5 };
    const found = desired([check], true);
    assert.deepEqual(found.kind === 'desired' && found.check, {
      command: check.command,
      intervalMs: 5_000,
      timeoutMs: 10_000,
    });
    assert.equal(desired([check, check], true).kind, 'fault');
    assert.equal(desired([{ ...check, command: 'curl' }], true).kind, 'fault');
    assert.equal(desired([{ ...check, intervalSeconds: 0 }], true).kind, 'fault');
  });
});
