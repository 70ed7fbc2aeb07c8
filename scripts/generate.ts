import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GENERATED } from './generated.ts';
import { ROOT } from './repository.ts';

/** npm run generate: rewrites every generated file. */
for (const { name, generate } of GENERATED) {
  for (const [path, content] of await generate()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), content);
    console.log(`${name}: ${path}`);
  }
}
