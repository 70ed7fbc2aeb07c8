import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GENERATED } from './generated.ts';
import { ROOT } from './repository.ts';

describe('generated files', () => {
  for (const { name, generate } of GENERATED) {
    it(`${name}: is what "npm run generate" writes`, async () => {
      for (const [path, content] of await generate()) {
        assert.equal(await readFile(join(ROOT, path), 'utf8'), content, `${path} is out of date: npm run generate`);
      }
    });
  }
});
