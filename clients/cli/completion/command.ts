// `annals completion`, and `annals complete`, which its scripts call.
import { Argument, type Command } from 'commander'
import type { Build } from '../remote/command.js'
import type { Option } from 'commander'

/** Each script calls `annals complete` and offers files if there are no completions. */
const bash = `# Completion of annals for bash.
_annals() {
  local IFS=$'\\n'
  COMPREPLY=($(annals complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _annals annals
`

const zsh = `#compdef annals
# Completion of annals for zsh.
_annals() {
  local line
  local -a found
  for line in "\${(@f)$(annals complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe annals found; else _files; fi
}
if [[ $funcstack[1] == _annals ]]; then _annals "$@"; else compdef _annals annals; fi
`

const fish = `# Completion of annals for fish.
function __annals_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  annals complete -- $words[2..] "$current" 2>/dev/null
end
complete -c annals -n 'test (count (__annals_complete)) -gt 0' -f -a '(__annals_complete)'
`

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }

interface Completion {
  readonly word: string
  readonly about: string
}

const flagIn = (command: Command, word: string): Option | undefined => {
  const name = word.replace(/^--?/, '')
  return word.startsWith('-') ? command.options.find(({ long }) => long === `--${name}`) : undefined
}

const takesValue = (option: Option | undefined): boolean =>
  option !== undefined && (option.required || option.optional)

/** Returns the command that the words select, and the flag whose value comes next. */
const place = (
  program: Command,
  words: readonly string[]
): { command: Command; flag: Option | undefined } => {
  let command = program
  let flag: Option | undefined
  for (const word of words) {
    if (takesValue(flag)) {
      flag = undefined
      continue
    }
    flag = flagIn(command, word)
    const inner = command.commands.find(
      subcommand => subcommand.name() === word || subcommand.aliases().includes(word)
    )
    if (!word.startsWith('-') && inner) command = inner
  }
  return { command, flag: takesValue(flag) ? flag : undefined }
}

const flags = (command: Command, dashes: string): readonly Completion[] =>
  command.options.flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ word: long.replace('--', dashes), about: description }]
  )

const valuesOf = (choices: readonly string[] | undefined): readonly Completion[] =>
  (choices ?? []).map(word => ({ word, about: '' }))

const candidates = (command: Command, current: string): readonly Completion[] => {
  if (current.startsWith('-')) return flags(command, /^-[^-]/.test(current) ? '-' : '--')
  const inner = command.commands.map(subcommand => ({ word: subcommand.name(), about: subcommand.summary() }))
  return [...inner, ...valuesOf(command.registeredArguments[0]?.argChoices)]
}

/** Returns the completions of the last word. @param words after the name of the program, up to the cursor */
const completionsOf = (program: Command, words: readonly string[]): readonly Completion[] => {
  const current = words.at(-1) ?? ''
  const { command, flag } = place(program, words.slice(0, -1))
  const all = flag ? valuesOf(flag.argChoices) : candidates(command, current)
  return all.filter(({ word }) => word.startsWith(current))
}

const EXAMPLES = `
Examples:
  annals completion bash > /etc/bash_completion.d/annals
  annals completion zsh > "\${fpath[1]}/_annals"
  annals completion fish > ~/.config/fish/completions/annals.fish
  source <(annals completion bash)                     for this shell only`

export const completion: Build = (command, { out }) => {
  command
    .description('Print the completion script of a shell.')
    .addHelpText('after', EXAMPLES)
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .action((shell: string) => void out.write(scripts[shell] ?? ''))
}

const programOf = (command: Command): Command => command.parent ?? command

export const complete: Build = (command, { out }) => {
  command
    .description('Print the completions of a command line, for `annals completion`.')
    .addHelpText('after', '\nExample:\n  annals complete -- kv g')
    .argument('[words...]', 'the words after annals, the last of which is the one to complete')
    .action((words: readonly string[]) => {
      for (const { word, about } of completionsOf(programOf(command), words)) out.write(`${word}\t${about}\n`)
    })
}
