/** The scripts that shells source. They call `fleetshift __complete` for each completion, so that names are completed too. */
export const SHELL_SCRIPTS = {
  bash: `# fleetshift completion for bash: source <(fleetshift completion bash)
_fleetshift() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(fleetshift __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _fleetshift fleetshift
`,
  zsh: `#compdef fleetshift
# fleetshift completion for zsh: source <(fleetshift completion zsh)
_fleetshift() {
  local -a found
  found=("\${(@f)$(fleetshift __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    compadd -- "\${found[@]}"
  else
    _files
  fi
}
compdef _fleetshift fleetshift
`,
  fish: `# fleetshift completion for fish: fleetshift completion fish | source
function __fleetshift_complete
  set -l words (commandline -opc) "$(commandline -ct)"
  fleetshift __complete -- $words[2..] 2>/dev/null
end
complete -c fleetshift -n 'test -n "$(__fleetshift_complete)"' -f -a '(__fleetshift_complete)'
`,
} as const;
