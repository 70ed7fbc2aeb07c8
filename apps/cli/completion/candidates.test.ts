import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLLOUT_VERBS } from '../commands/workloads/rollout/rollout-verbs.ts';
import { COMMANDS } from '../commands.ts';
import { KINDS } from '../kinds/kinds.ts';
import { type Candidates, candidatesFor } from './candidates.ts';

const NAMES = COMMANDS.map(({ name }) => name);
const load = async (name: string) => await COMMANDS.find((entry) => entry.name === name)?.load();

const words = (...these: string[]): Candidates => ({ kind: 'words', words: these });
const kinds = words(...KINDS.map(({ plural }) => plural));

function brief(candidates: Candidates): unknown {
  return candidates.kind === 'names' ? `names of ${candidates.of.plural}` : candidates;
}

const rows: { line: string; want: Candidates | string }[] = [
  { line: '', want: words(...NAMES) },
  { line: 'get ', want: kinds },
  { line: 'get -w web ', want: kinds },
  { line: 'get -A ', want: kinds },
  { line: 'get --watch ', want: kinds },
  { line: 'get targets ', want: 'names of targets' },
  { line: 'get tgt a ', want: 'names of targets' },
  { line: 'get audit ', want: words() },
  { line: 'get targets -w ', want: 'names of workspaces' },
  { line: 'get targets --filter ', want: words() },
  {
    line: 'get targets -o ',
    want: words('table', 'wide', 'json', 'yaml', 'name', 'manifest', 'jsonpath=', 'custom-columns='),
  },
  { line: 'label target a ', want: words() },
  { line: 'cordon ', want: 'names of targets' },
  { line: 'move workspace a --to ', want: 'names of workspaces' },
  { line: 'token ', want: words('create', 'rotate', 'revoke') },
  { line: 'token create ', want: 'names of service-accounts' },
  { line: 'config use-context ', want: { kind: 'contexts' } },
  { line: 'get ws --context ', want: { kind: 'contexts' } },
  { line: 'apply -f ', want: words() },
  { line: 'completion ', want: words('bash', 'zsh', 'fish') },
  { line: 'rollout ', want: words(...Object.keys(ROLLOUT_VERBS)) },
  { line: 'rollout status ', want: 'names of deployments' },
  { line: 'rollout retry web ', want: words() },
  { line: 'deploy ', want: 'names of deployments' },
  { line: 'deploy --file ', want: words() },
  { line: 'preview ', want: 'names of deployments' },
  { line: 'revisions web ', want: words() },
  { line: 'get revisions --deployment ', want: 'names of deployments' },
  { line: 'nonsense ', want: words() },
];

for (const { line, want } of rows) {
  test(`"${line}"`, async () => {
    assert.deepEqual(brief(await candidatesFor({ words: line.split(' '), commands: NAMES, load })), want);
  });
}

test('the flags of a command are those of its help', async () => {
  const found = await candidatesFor({ words: ['apply', '--'], commands: NAMES, load });
  assert.ok(found.kind === 'words');
  assert.deepEqual(found.words.slice(0, 3), ['--filename', '--dry-run', '--workspace']);
});
