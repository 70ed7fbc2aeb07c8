import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './apply/check-documents.ts';
import { parseDocuments } from './apply/read-documents.ts';

const GUIDE = fileURLToPath(new URL('../../docs/guide/deployments.md', import.meta.url));

const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block);

test('the guide has documents to copy', () => assert.ok(blocks.length >= 2));

for (const [index, block] of blocks.entries()) {
  test(`document ${index + 1} of the guide can be applied`, () => {
    assert.equal(checkDocuments(parseDocuments('guide', block), { said: undefined, meant: undefined }).length, 1);
  });
}
