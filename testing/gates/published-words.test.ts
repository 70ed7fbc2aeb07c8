import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';

/** Modules whose every export is a term shared by contexts. */
const PUBLISHED = ['protocol/delivery/index.ts', 'protocol/targets/index.ts'];
/** Shared terms of modules that export more than those. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'kit/std/canonical-json.ts': ['Json', 'JsonObject'],
  'kit/std/event-sink.ts': ['EventSink'],
  'kit/std/precondition.ts': ['Precondition', 'Versioned'],
  'kit/std/secret-source.ts': ['SecretSource'],
  'kit/http/ports.ts': ['Visibility'],
};

/** Generated messages keep the names of the wire format; a codec maps them. */
const OTHER_WORDS = /\/gen\/|^kit\/durable\/temporal\/node_modules\//;

describe('published words', () => {
  it('are declared once', async () => {
    const words = publishedWords();
    const files = (await findFiles('{apps,contexts,kit,protocol,runtime}/**/*.ts')).filter(
      (file) => !OTHER_WORDS.test(file),
    );
    const declared = files.flatMap((file) =>
      declarations(readFileSync(join(ROOT, file), 'utf8'), words).map((word) => ({ word, file })),
    );
    const twice = [...Map.groupBy(declared, ({ word }) => word)].filter(([, places]) => places.length > 1);
    assert.deepEqual(
      twice.flatMap(([word, places]) => places.map(({ file }) => `${word} in ${file}`)),
      [],
      'import the published word, or give another thing another name',
    );
    assert.deepEqual(
      [...words].filter((word) => declared.every((each) => each.word !== word)),
      [],
    );
  });

  it('would be found in another place', () => {
    const source =
      "export interface Inventory {}\ntype Health = 'x';\nexport const HEALTHS = [];\nexport type { Holding };";
    assert.deepEqual(declarations(source, new Set(['Inventory', 'Health', 'HEALTHS', 'Holding'])), [
      'Inventory',
      'Health',
      'HEALTHS',
    ]);
  });
});

function publishedWords(): Set<string> {
  const exported = PUBLISHED.flatMap((file) => {
    const lists = readFileSync(join(ROOT, file), 'utf8').matchAll(/\{([^}]*)\}/g);
    return [...lists].flatMap(([, names = '']) => names.split(',').map((name) => name.replace('type ', '').trim()));
  });
  return new Set([...exported.filter((name) => name !== ''), ...Object.values(ALSO).flat()]);
}

function declarations(source: string, words: ReadonlySet<string>): string[] {
  const found = source.matchAll(/^(?:export )?(?:interface|type|class|const|function) (\w+)/gm);
  return [...found].map(([, name = '']) => name).filter((name) => words.has(name));
}
