import { countProse, PROSE_KINDS } from '../testing/gates/prose.ts';
import { readProse } from '../testing/gates/read-prose.ts';

// `node scripts/list-prose.ts [PATH]...`: lists every text below these paths that the prose gate counts.
const paths = process.argv.slice(2);
let total = 0;
for (const kind of PROSE_KINDS) {
  for (const { file, texts } of await readProse(kind)) {
    if (paths.length > 0 && !paths.some((path) => file.startsWith(path))) continue;
    for (const text of texts) {
      const { vague, pronouns, openings } = countProse([text]);
      if (vague + pronouns + openings === 0) continue;
      total += vague + pronouns + openings;
      console.log(`${file} (${kind}): ${text.replaceAll(/\s+/g, ' ').trim()}`);
    }
  }
}
console.log(`${total} counted`);
