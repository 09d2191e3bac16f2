// `annals completion`, and `annals complete`, which its scripts call.
import { Argument, type Command, type Option } from 'commander'
import type { Build } from '../remote/command.js'
import type { Console } from '../console.js'
import { selectedContext } from '../contexts/contexts.js'
import { connectionOf } from '../remote/connection-options.js'
import { completionSources } from '../remote/flags.js'
import { safe } from '../remote/output.js'

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

interface Place {
  readonly command: Command
  /** The flag whose value comes next. */
  readonly flag: Option | undefined
  readonly args: readonly string[]
  /** Values of flags by attribute. */
  readonly values: Readonly<Record<string, string>>
}

const place = (program: Command, words: readonly string[]): Place => {
  let command = program
  let flag: Option | undefined
  const args: string[] = []
  const values: Record<string, string> = {}
  for (const word of words) {
    if (flag && takesValue(flag)) {
      values[flag.attributeName()] = word
      flag = undefined
      continue
    }
    flag = flagIn(command, word)
    const inner = command.commands.find(
      subcommand => subcommand.name() === word || subcommand.aliases().includes(word)
    )
    if (!word.startsWith('-') && inner) command = inner
    else if (!word.startsWith('-')) args.push(word)
  }
  return { command, flag: takesValue(flag) ? flag : undefined, args, values }
}

/** Asks the source of a flag or argument. Errors complete nothing: the shell shows no messages. */
const askedFor = async (
  { flag, command, args, values }: Place,
  current: string,
  env: Console['env']
): Promise<readonly Completion[]> => {
  const argument = command.registeredArguments[args.length]
  const target = flag ?? (current.startsWith('-') ? undefined : argument)
  const source = target && completionSources.get(target)
  if (!source) return []
  const connect = async () => connectionOf(values, env, { selected: await selectedContext(values, env) })
  try {
    return valuesOf(await source({ current, args, env, connect }))
  } catch {
    return []
  }
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
const completionsOf = async (
  program: Command,
  words: readonly string[],
  env: Console['env']
): Promise<readonly Completion[]> => {
  const current = words.at(-1) ?? ''
  const found = place(program, words.slice(0, -1))
  const { command, flag } = found
  const known = flag ? valuesOf(flag.argChoices) : candidates(command, current)
  const all = [...known, ...(await askedFor(found, current, env))]
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

export const complete: Build = (command, { out, env }) => {
  command
    .description('Print the completions of a command line, for `annals completion`.')
    .addHelpText('after', '\nExample:\n  annals complete -- kv g')
    .argument('[words...]', 'the words after annals, the last of which is the one to complete')
    .action(async (words: readonly string[]) => {
      for (const { word, about } of await completionsOf(programOf(command), words, env))
        out.write(`${safe(word)}\t${about}\n`)
    })
}
