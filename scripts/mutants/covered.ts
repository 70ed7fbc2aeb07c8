import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** What V8 writes into the folder that `NODE_V8_COVERAGE` names, one file for each process. */
interface Profile {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** The ranges of each file below the root that were compiled, with the number of times that each ran. */
export async function readCoverage(folder: string, root: string): Promise<ReadonlyMap<string, readonly Range[]>> {
  const base = `${pathToFileURL(root).href}/`;
  const ranges = new Map<string, Range[]>();
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile;
    for (const { url, functions } of result.filter((script) => script.url.startsWith(base))) {
      const file = decodeURI(url.slice(base.length));
      const own = functions.flatMap((each) => each.ranges);
      ranges.set(file, [...(ranges.get(file) ?? []), ...own]);
    }
  }
  return ranges;
}

/** The innermost range around a place decides whether it ran; types are erased to spaces, so that places stay. */
export function hasRun(ranges: readonly Range[], place: number): boolean {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= place && place < endOffset);
  const size = ({ startOffset, endOffset }: Range): number => endOffset - startOffset;
  const smallest = Math.min(...around.map(size));
  return around.some((range) => size(range) === smallest && range.count > 0);
}
