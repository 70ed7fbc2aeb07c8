import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpError } from '../errors/http-error.ts';
import { parseJson } from './parse-json.ts';

const refused = (text: string | Uint8Array): void => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  assert.throws(
    () => parseJson(bytes),
    (error) => error instanceof HttpError && error.code === 'MALFORMED_JSON',
    String(text),
  );
};

describe('a JSON body', () => {
  it('is what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'));
        assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
      }),
    );
  });

  it('is refused whenever it is not JSON, and breaks nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        try {
          JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        } catch {
          refused(bytes);
        }
      }),
    );
  });

  it('is refused when it would become something else on its way', () => {
    refused('{"__proto__": {"admin": true}}');
    refused('{"a": [{"\\u005f_proto__": {}}]}');
    refused('{"constructor": {"prototype": {}}}');
    refused('"a\\u0000b"');
    refused('{"a\\u0000b": 1}');
    refused('["\\ud800"]');
    refused('["\\udc00\\ud800"]');
    refused(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]));
  });

  it('may say all that without meaning it', () => {
    for (const text of [
      '"__proto__"',
      '{"constructor": "x"}',
      '"\\ud83d\\ude00"',
      '"\\\\u0000"',
      `"${'[{'.repeat(500)}\\""`,
      `${'['.repeat(200)}${']'.repeat(200)}`,
    ]) {
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    }
  });

  it('is refused when it is too deep, before it is parsed', () => {
    refused(`${'['.repeat(201)}${']'.repeat(201)}`);
    refused('{"a":'.repeat(500_000));
  });
});
