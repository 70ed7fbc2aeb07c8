import { suggestion } from '#kit/config';
import { type Command, EXIT, UsageError } from '../command.ts';
import { SHELL_SCRIPTS } from '../completion/shell-scripts.ts';

const SHELLS = Object.keys(SHELL_SCRIPTS);

export const completion: Command = {
  help: () => `Usage: fleetshift completion ${SHELLS.join('|')}

Prints the script that completes commands, kinds, names and flags. To load it in each new shell:

  bash  echo 'source <(fleetshift completion bash)' >> ~/.bashrc
  zsh   echo 'source <(fleetshift completion zsh)' >> ~/.zshrc
  fish  fleetshift completion fish > ~/.config/fish/completions/fleetshift.fish

Names come from the platform of the context, with a timeout of two seconds.
`,
  async run([shell, extra], io) {
    if (shell === undefined) throw new UsageError(`missing shell: one of ${SHELLS.join(', ')}`);
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
    const found = Object.entries(SHELL_SCRIPTS).find(([name]) => name === shell);
    if (found === undefined) {
      throw new UsageError(`unknown shell "${shell}"; shells are ${SHELLS.join(', ')}${suggestion(shell, SHELLS)}`);
    }
    io.out(found[1]);
    return EXIT.ok;
  },
};
