import { dirname, join, normalize } from 'node:path';

/** Which file of the repository loads which, by paths below its root. */
export class ImportGraph {
  readonly #imports: ReadonlyMap<string, readonly string[]>;

  private constructor(imports: ReadonlyMap<string, readonly string[]>) {
    this.#imports = imports;
  }

  static of(sources: ReadonlyMap<string, string>): ImportGraph {
    const imports = new Map<string, readonly string[]>();
    for (const [file, text] of sources) {
      const found = importedBy(file, text).filter((path) => sources.has(path));
      imports.set(file, found);
    }
    return new ImportGraph(imports);
  }

  /** The file itself and everything it loads, directly or indirectly. */
  reachedFrom(file: string): ReadonlySet<string> {
    return closure([file], (path) => this.#imports.get(path) ?? []);
  }

  /** These files and all files that load one of them, directly or indirectly. */
  reaching(files: Iterable<string>): ReadonlySet<string> {
    const importers = Map.groupBy(this.#edges(), ([, imported]) => imported);
    return closure(files, (path) => importers.get(path)?.map(([importer]) => importer) ?? []);
  }

  *#edges(): Iterable<readonly [importer: string, imported: string]> {
    for (const [importer, all] of this.#imports) for (const imported of all) yield [importer, imported];
  }
}

// Static and dynamic imports, re-exports, and programs started by URL. `import type` is erased.
const STATIC = /^\s*(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?\s*'(?<path>[^']+)'/gm;
const DYNAMIC = /\b(?:import|import\.meta\.resolve|new URL)\(\s*'(?<path>[#.][^']+)'/g;

function importedBy(file: string, text: string): string[] {
  return [STATIC, DYNAMIC]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map((match) => resolved(file, match.groups?.['path'] ?? ''))
    .filter((path) => path !== undefined);
}

/** Rooms without facades: their files are imported by name. */
const BY_FILE: ReadonlySet<string> = new Set(['runtime', 'testing']);

/** Resolves by the `imports` of package.json. */
function resolved(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  const inner = /^#(?<room>kit|contexts|protocol|runtime|testing)\/(?<rest>.+)$/.exec(specifier)?.groups;
  if (inner === undefined) return undefined;
  const path = `${inner['room']}/${inner['rest']}`;
  return BY_FILE.has(inner['room'] ?? '') ? `${path}.ts` : `${path}/index.ts`;
}

function closure(start: Iterable<string>, next: (path: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(start);
  // Iterating over a set includes elements added meanwhile.
  for (const path of seen) for (const found of next(path)) seen.add(found);
  return seen;
}
