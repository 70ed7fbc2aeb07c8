import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GENERATED } from './generated.ts';
import { ROOT } from './repository.ts';

/** npm run generate: writes every generated file anew. */
for (const { name, generate } of GENERATED) {
  for (const [path, content] of await generate()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), content);
    console.log(`${name}: ${path}`);
  }
}
