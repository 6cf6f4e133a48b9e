import type { Command } from 'commander'
import { CliError } from './failure.ts'

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_marketplace() {
  local IFS=$'\\n'
  COMPREPLY=($(marketplace complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _marketplace marketplace
`,
  zsh: `#compdef marketplace
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_marketplace() {
  local -a found
  found=("\${(@f)$(marketplace complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _marketplace marketplace
`,
  fish: `complete -c marketplace -f -a '(marketplace complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c marketplace -F -n '__fish_seen_subcommand_from upload'
`,
}

/** The script that completes the command line in a shell. */
export function completionOf(shell: string): string {
  const script = SCRIPTS[shell]
  if (script === undefined) throw new CliError(`Name one of these shells: ${Object.keys(SCRIPTS).join(', ')}.`)
  return script
}

/** The words with which the last one can go on: commands, options, and values of an option. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  let command = program
  for (const word of words.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command
  const option = command.options.find(({ long }) => long === words.at(-2))
  const found =
    option?.argChoices ?? (last.startsWith('-') ? flagsOf(command) : command.commands.map((each) => each.name()))
  return found.filter((word) => word.startsWith(last))
}

const flagsOf = (command: Command) => [...command.options.flatMap(({ long }) => long ?? []), '--help']
