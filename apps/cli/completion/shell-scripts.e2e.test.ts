import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { bareEnvironment } from '#testing/bare-environment';
import { MAIN } from '#testing/product';
import { SHELL_SCRIPTS } from './shell-scripts.ts';

const folder = mkdtempSync(join(tmpdir(), 'fleetshift-completion-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'fleetshift'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
chmodSync(join(folder, 'fleetshift'), 0o755);

type Shell = keyof typeof SHELL_SCRIPTS;

/** Simulates the completion key in each shell. zsh needs a terminal for it, so its builtins are stubbed. */
const PRESS: Readonly<
  Record<Shell, { readonly flags: readonly string[]; readonly code: (words: string[]) => string }>
> = {
  bash: {
    flags: ['--norc', '-c'],
    code: (words) => `source ${join(folder, 'bash')}
      COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}
      _fleetshift; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    flags: ['-f', '-c'],
    code: (words) => `compdef() { : }; compadd() { shift; print -l -- "$@" }; _files() { : }
      source ${join(folder, 'zsh')}
      words=(${quoted(words)}); CURRENT=${words.length}; _fleetshift`,
  },
  fish: {
    flags: ['--no-config', '-c'],
    code: (words) => `source ${join(folder, 'fish')}; complete -C '${words.join(' ')}'`,
  },
};

for (const [shell, script] of Object.entries(SHELL_SCRIPTS) as [Shell, string][]) {
  // A shell may create folders in its home at startup.
  const isThere = spawnSync(shell, ['-c', 'true'], { env: bareEnvironment(folder) }).error === undefined;
  describe(`completion in ${shell}`, { skip: !isThere && `there is no ${shell} on this machine` }, () => {
    writeFileSync(join(folder, shell), script);
    const { flags, code } = PRESS[shell];
    const press = (...words: string[]): string[] => {
      // Without files, which a shell offers when it has no other candidates.
      const PATH = `${folder}${delimiter}${process.env['PATH']}`;
      const env = bareEnvironment(folder, { PATH, FLEETSHIFT_CONFIG: 'none' });
      const told = execFileSync(shell, [...flags, code(['fleetshift', ...words])], { env, cwd: '/', encoding: 'utf8' });
      return told.split('\n').filter(Boolean).toSorted();
    };

    it('is a script that the shell can read', () => {
      const env = bareEnvironment(folder);
      assert.equal(execFileSync(shell, ['-n', join(folder, shell)], { env, encoding: 'utf8' }), '');
    });

    it('goes on with a word that was begun', () => assert.deepEqual(press('config', 'use'), ['use-context']));

    it('offers all when nothing was begun', () => {
      assert.deepEqual(press('token', ''), ['create', 'revoke', 'rotate']);
    });
  });
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}
