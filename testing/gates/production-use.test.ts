import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findFiles, ROOT } from '../../scripts/repository.ts';
import { unusedOffers } from './production-use.ts';

const IS_TEST = /\.(?:test|soak)\.ts$|(?:^|\/)(?:example|gen|testing)\//;

/** Offered although only tests take it, by a reason. The operator's list is that of knip.jsonc. */
const ALLOWED: readonly { readonly offers: RegExp; readonly why: string }[] = [
  { offers: /: \w+_ERRORS$/, why: 'a test compares the catalogue with the README' },
  { offers: /Error$/, why: 'a test names the error that a facade throws' },
  {
    offers: /: (?:AUDIT_OUTCOMES|ERROR_CATEGORIES|HISTORY_KINDS|SELECTOR_OPERATORS|WORKFLOW_STATUSES|wireCode)$/,
    why: 'a closed set or its spelling, which tests compare with documents and with what the API answers',
  },
  {
    offers:
      /: (?:ADMIT_WITHIN_MS|ARRIVING|DEFAULT_ACTIVITY_OPTIONS|DEFAULT_LIMITS|ENGINES|FIRST_\w+|FLOOD_LIMITS|HANDSHAKE\w+|LIMITS|MAX_\w+|STRANGERS\w*)$/,
    why: 'a limit that tests compare with the page of limits, or go beyond',
  },
  {
    offers: /^kit\/kube\/controller\/index\.ts: (?:\w+Changed|anyOf|Expectations)$/,
    why: 'the operator will reconcile by changes of generation, labels or annotations, and create objects',
  },
  {
    offers: /^kit\/kube\/objects\/index\.ts: /,
    why: 'the operator will write conditions, events, finalizers and owners',
  },
  {
    offers: /^kit\/kube\/webhooks\/index\.ts: (?:conversionWebhook|diffJson|patch)$/,
    why: 'the operator will convert',
  },
  { offers: /^kit\/http\/index\.ts: FilterLanguage$/, why: 'tests read filters that the command line makes' },
  { offers: /^kit\/pki\/index\.ts: signCertificateToken$/, why: 'the other half of what the platform verifies' },
  { offers: /^kit\/storage\/leases\/index\.ts: Terms$/, why: 'a leader of tests waits for terms as real ones do' },
  { offers: /^kit\/telemetry\/index\.ts: noTracer$/, why: 'a process without traces, for tests' },
];

async function productionSources(): Promise<ReadonlyMap<string, string>> {
  const files = await findFiles('{apps,bench,contexts,kit,protocol,runtime,scripts}/**/*.ts');
  const own = files.filter((file) => !IS_TEST.test(file));
  return new Map(own.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

describe('what kit offers', () => {
  it('has a user in production, or a reason', async () => {
    const unused = unusedOffers(await productionSources());
    const isAllowed = (offer: string): boolean => ALLOWED.some(({ offers }) => offers.test(offer));
    assert.deepEqual(
      unused.filter((offer) => !isAllowed(offer)),
      [],
    );
    const idle = ALLOWED.filter(({ offers }) => !unused.some((offer) => offers.test(offer)));
    assert.deepEqual(idle, [], 'a reason that nothing needs any more');
  });

  it('would be found without a user', () => {
    const planted = new Map([
      [
        'kit/a/index.ts',
        "export { type Shape, idle, loaded, taken, wide } from './a.ts';\nexport { far } from './far.ts';\n",
      ],
      ['kit/a/a.ts', ''],
      ['kit/b/index.ts', "export { deep as renamed } from '../a/index.ts';\nexport { idle } from './b.ts';\n"],
      [
        'apps/x/main.ts',
        "import {\n  type Shape,\n  taken,\n} from '#kit/a';\nconst { loaded } = await import('#kit/a');\n",
      ],
      ['apps/y/main.ts', "load(async () => (await import('#kit/a')).far);\n"],
      ['apps/z/main.ts', "import { idle } from './kit/a/idle.ts';\n"],
      ['kit/c/c.ts', "import { wide as narrow } from '../a/index.ts';\n"],
    ]);
    assert.deepEqual(unusedOffers(planted), [
      'kit/a/index.ts: idle',
      'kit/b/index.ts: idle',
      'kit/b/index.ts: renamed',
    ]);
  });
});
