import { suggestion } from '#kit/config';
import { type Command, EXIT, UsageError } from '../command.ts';
import { SHELL_SCRIPTS } from '../completion/shell-scripts.ts';

const SHELLS = Object.keys(SHELL_SCRIPTS);

export const completion: Command = {
  help: () => `Usage: fleetshift completion ${SHELLS.join('|')}

Writes what a shell needs to complete commands, kinds, names and flags. To have it in each new shell:

  bash  echo 'source <(fleetshift completion bash)' >> ~/.bashrc
  zsh   echo 'source <(fleetshift completion zsh)' >> ~/.zshrc
  fish  fleetshift completion fish > ~/.config/fish/completions/fleetshift.fish

Names come from the platform of the context, within two seconds or not at all.
`,
  async run([shell, extra], io) {
    if (shell === undefined) throw new UsageError(`say for which shell: ${SHELLS.join(', ')}`);
    if (extra !== undefined) throw new UsageError(`"${extra}": an argument that is not expected here`);
    const found = Object.entries(SHELL_SCRIPTS).find(([name]) => name === shell);
    if (found === undefined) {
      throw new UsageError(`"${shell}" is none of ${SHELLS.join(', ')}${suggestion(shell, SHELLS)}`);
    }
    io.out(found[1]);
    return EXIT.ok;
  },
};
