import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../repository.ts';
import { type Advisory, installedBy } from './affected.ts';

/** npm run advisories: queries OSV for all packages in the lockfile, and writes security/advisories.json. */
const SOURCE = 'https://api.osv.dev/v1';
const AT_ONCE = 1_000;
const FILE = join(ROOT, 'security/advisories.json');

const lockfile = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Parameters<
  typeof installedBy
>[0];
const installed = installedBy(lockfile);
const ids = new Set<string>();
for (let at = 0; at < installed.length; at += AT_ONCE) {
  const queries = installed
    .slice(at, at + AT_ONCE)
    .map(({ name, version }) => ({ package: { ecosystem: 'npm', name }, version }));
  const { results } = (await ask('/querybatch', { queries })) as { results: { vulns?: { id: string }[] }[] };
  for (const { vulns = [] } of results) for (const { id } of vulns) ids.add(id);
}
const advisories: Advisory[] = [];
for (const id of [...ids].sort()) advisories.push((await ask(`/vulns/${encodeURIComponent(id)}`)) as Advisory);
const date = new Date().toISOString().slice(0, 10);
await writeFile(FILE, `${JSON.stringify({ date, source: `${SOURCE}/querybatch`, advisories }, undefined, 2)}\n`);
console.log(`${advisories.length} advisories for ${installed.length} packages, as of ${date}`);

async function ask(path: string, body?: object): Promise<unknown> {
  const signal = AbortSignal.timeout(60_000);
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${SOURCE}${path}`, { ...posted, signal });
  if (!answer.ok) throw new Error(`${SOURCE}${path} answered ${answer.status}`);
  return await answer.json();
}
