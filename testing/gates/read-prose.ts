import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { markdownProse, type ProseKind, proseOf } from './prose.ts';

/** Texts that must not change: migrations, which have checksums; generated code; and samples of bad prose. */
const FROZEN = /migrations?(?:\/|\.ts$|-)|\/gen\/|^testing\/gates\/prose|^docs\/terms\.md$/;
const IS_TEST = /\.test\.ts$|\/testing\/|^(?:e2e|testing|bench|scripts)\//;

/** The texts of this kind in the repository. Strings in tests are names and data, and are left out. */
export async function readProse(
  kind: ProseKind,
): Promise<{ readonly file: string; readonly texts: readonly string[] }[]> {
  const files = (await findFiles(kind === 'markdown' ? '**/*.md' : '**/*.ts')).filter((file) => !FROZEN.test(file));
  return files
    .filter((file) => kind !== 'strings' || !IS_TEST.test(file))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return { file, texts: kind === 'markdown' ? markdownProse(text) : proseOf(text)[kind] };
    });
}
