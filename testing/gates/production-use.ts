import { dirname, join, normalize } from 'node:path';

const DOOR = /^kit\/(?:.+\/)?index\.ts$/;
const NAMED = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([#.][^']+)'/g;
const LOADED = /(?:const\s+\{([^}]*)\}\s*=\s*await\s+)?import\(\s*'([#.][^']+)'/g;
const OFFERED = /export\s+\{([^}]*)\}\s+from/g;

/**
 * Exports of the doors of kit that no production file takes, as `kit/http/index.ts: wireCode`. Types are left out: a door offers
 * those of its functions. `sources` are the production files.
 */
export function unusedOffers(sources: ReadonlyMap<string, string>): readonly string[] {
  const taken = new Set([...sources].flatMap(([file, text]) => takenBy(file, text)));
  return [...sources]
    .filter(([file]) => DOOR.test(file))
    .flatMap(([file, text]) => offeredBy(text).map((name) => `${file}: ${name}`))
    .filter((offer) => !taken.has(offer))
    .toSorted();
}

function takenBy(file: string, text: string): readonly string[] {
  return [...text.matchAll(NAMED), ...text.matchAll(LOADED)].flatMap(([, names, path = '']) => {
    const door = doorAt(file, path);
    // A module that is loaded whole: its names are not known here, and a search for them is enough.
    if (names === undefined) return [...text.matchAll(/\b\w+\b/g)].map(([word]) => `${door}: ${word}`);
    return namesIn(names).map((name) => `${door}: ${name}`);
  });
}

function offeredBy(text: string): readonly string[] {
  return [...text.matchAll(OFFERED)].flatMap(([, names = '']) =>
    namesIn(names, { types: false }).map((name) => name.split(' as ').at(-1) ?? name),
  );
}

function namesIn(list: string, { types = true } = {}): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && (types || !name.startsWith('type ')))
    .map((name) =>
      name
        .replace(/^type /, '')
        .replace(/ as .*/, types ? '' : '$&')
        .replace(/:.*/, ''),
    );
}

function doorAt(file: string, path: string): string {
  return path.startsWith('#kit/') ? `kit/${path.slice('#kit/'.length)}/index.ts` : normalize(join(dirname(file), path));
}
