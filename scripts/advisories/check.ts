import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../repository.ts';
import { type Advisory, hits, installedBy } from './affected.ts';

/**
 * The gate: reports known advisories for installed packages, from a dated file, so that the same checkout gives the same
 * answer.
 */
const folder = process.argv[2] ?? ROOT;
const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, file), 'utf8'));
const { date, advisories } = (await read('security/advisories.json')) as { date: string; advisories: Advisory[] };
const found = hits(advisories, installedBy((await read('package-lock.json')) as Parameters<typeof installedBy>[0]));
for (const hit of found) console.log(hit);
console.log(`${found.length} of ${advisories.length} advisories of ${date} apply to installed packages`);
process.exitCode = found.length === 0 ? 0 : 1;
