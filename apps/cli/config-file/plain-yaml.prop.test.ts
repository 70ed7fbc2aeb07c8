import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseYaml } from '#kit/yaml';
import { renderYaml } from '../output/yaml.ts';
import { readPlainYaml } from './plain-yaml.ts';

const PEM = `-----BEGIN CERTIFICATE-----\n${'MIIB+/a9'.repeat(8)}\nMIIBszCCAVqgAw==\n-----END CERTIFICATE-----\n`;
const CONFIG = {
  version: 1,
  currentContext: 'fleet',
  contexts: [
    {
      name: 'fleet',
      server: 'https://fleet.example.com:8701/',
      ca: PEM,
      workspace: 'web',
      credentials: {
        kind: 'issuer',
        issuer: 'corp',
        url: 'https://login.example.com',
        clientId: 'fleetshift-cli',
        idToken: `eyJ${'hbGciOi_JFUzI1-NiIsInR5'.repeat(30)}.eyJzdWIi.sig`,
        expireTime: '2026-11-15T21:14:25.000Z',
        refreshToken: 'v1.Mf2-b=',
      },
    },
    { name: 'local', server: 'http://127.0.0.1:8700/', credentials: { kind: 'token', token: 'fst_0a1b' } },
  ],
};

const write = (config: object) => renderYaml(config, { lineWidth: 0 });

describe('plain YAML of the configuration', () => {
  for (const { why, config } of [
    { why: 'with everything', config: CONFIG },
    { why: 'without contexts', config: { version: 1, contexts: [] } },
  ]) {
    test(`is read: ${why}`, () => assert.deepEqual(readPlainYaml(write(config)), config));
  }

  for (const [text, why] of [
    ['version: 1\nversion: 1\n', 'a key twice'],
    ['version: 1 # of today\n', 'a comment'],
    ['a: "b"\n', 'quotes'],
    ['a: 0x10\n', 'a number in another form'],
    ['a: yes\n', 'a word that older YAML takes for a boolean'],
    ['a: b c\n', 'several words'],
    ['a: |\n  b\n\nc: d\n', 'an empty line'],
    ['a: b\n   c: d\n', 'an unknown indentation'],
    ['a: [b]\n', 'a list on one line'],
    ['a:\n', 'no value'],
    ['a: b', 'no line end'],
    ['', 'nothing'],
  ] as const) {
    test(`is left to the library: ${why}`, () => assert.equal(readPlainYaml(text), undefined));
  }

  test('whatever is read, the library reads alike', () => {
    const words = [
      'a',
      'b1',
      'no',
      'null',
      'true',
      '1',
      '01',
      '1e3',
      '.5',
      '~',
      'a:b',
      'a: b',
      'http://h:1/',
      'x#',
      '# c',
      '-',
    ];
    const scalar = fc.oneof(fc.constantFrom(...words, '[]', '|', '2026-11-15T21:14:25Z'), fc.string({ maxLength: 6 }));
    const line = fc
      .tuple(
        fc.constantFrom('', '  ', '    ', '      ', ' '),
        fc.constantFrom('', '- ', '-'),
        fc.constantFrom('a', 'b', 'c', ''),
        scalar,
      )
      .map(([indent, dash, key, value]) => `${indent}${dash}${key && `${key}:`}${key && value && ' '}${value}\n`);
    const lines = write(CONFIG).split(/(?<=\n)/);
    const edit = fc.tuple(fc.nat(lines.length - 1), fc.nat(2), fc.oneof(line, fc.constantFrom(...lines)));
    const edited = fc.array(edit, { maxLength: 3 }).map((edits) => {
      const draft = [...lines];
      for (const [at, removed, added] of edits) draft.splice(at, removed, added);
      return draft;
    });
    const text = fc.oneof(fc.array(line, { minLength: 1, maxLength: 4 }), edited).map((all) => all.join(''));
    let accepted = 0;
    fc.assert(
      fc.property(text, (raw) => {
        const plain = readPlainYaml(raw);
        if (plain === undefined) return;
        accepted += 1;
        assert.deepEqual(plain, parseYaml(raw));
      }),
      { numRuns: 5_000 },
    );
    assert.ok(accepted > 50, 'texts were accepted');
  });
});
