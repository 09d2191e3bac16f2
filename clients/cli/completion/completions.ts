// The completions of a command line: commands, flags, and the values of flags that have a fixed set of them.
import type { Command, Option } from 'commander'

interface Completion {
  readonly word: string
  /** In one line. */
  readonly about: string
}

/** The flag that a word is, with one dash or two. */
const flagIn = (command: Command, word: string): Option | undefined => {
  const name = word.replace(/^--?/, '')
  return word.startsWith('-') ? command.options.find(({ long }) => long === `--${name}`) : undefined
}

const takesValue = (option: Option | undefined): boolean =>
  option !== undefined && (option.required || option.optional)

/** The command that the words lead to, and the flag whose value comes next. */
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
    const inner = command.commands.find(each => each.name() === word || each.aliases().includes(word))
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
  const inner = command.commands.map(each => ({ word: each.name(), about: each.summary() }))
  return [...inner, ...valuesOf(command.registeredArguments[0]?.argChoices)]
}

/**
 * What can stand in place of the last of the words.
 * @param words those behind the name of the program, up to the cursor
 */
export const completionsOf = (program: Command, words: readonly string[]): readonly Completion[] => {
  const current = words.at(-1) ?? ''
  const { command, flag } = place(program, words.slice(0, -1))
  const all = flag ? valuesOf(flag.argChoices) : candidates(command, current)
  return all.filter(({ word }) => word.startsWith(current))
}
