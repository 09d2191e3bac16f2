// Go syntax of flags: one dash before a long name, and `-recurse=false`.
import type { Command, Option } from 'commander'

type Synonyms = ReadonlyMap<string, string>

const synonymsOf = new WeakMap<Command, Synonyms>()

export const alsoCalled = (command: Command, name: string, others: readonly string[]): void => {
  const before = synonymsOf.get(command) ?? new Map<string, string>()
  synonymsOf.set(command, new Map([...before, ...others.map(other => [other, name] as const)]))
}

interface Flag {
  readonly option: Option
  readonly value: string | undefined
}

/** Returns undefined for an argument that is no flag of the command. */
const flagIn = (command: Command, argument: string): Flag | undefined => {
  const [, dashes = '', word = '', value] = /^(--?)([a-z][a-z0-9-]*)(?:=([^]*))?$/i.exec(argument) ?? []
  if (dashes === '' || (dashes === '-' && word.length === 1)) return undefined
  const name = synonymsOf.get(command)?.get(word) ?? word
  const option = command.options.find(({ long }) => long === `--${name}`)
  return option && { option, value }
}

const FALSE = new Set(['false', 'f', '0'])
const TRUE = new Set(['true', 't', '1'])

/** Returns the flag in the syntax of the parser. */
const written = ({ option, value }: Flag): readonly string[] => {
  const { long = '' } = option
  if (value === undefined) return [long]
  if (option.required || option.optional) return [`${long}=${value}`]
  if (FALSE.has(value.toLowerCase())) return []
  return TRUE.has(value.toLowerCase()) ? [long] : [`${long}=${value}`]
}

type PassesThrough = (command: Command) => boolean

interface Selected {
  /** The innermost command that the arguments name. */
  readonly command: Command
  /** Has two dashes and the first name for long flags; values, texts after `--` and other commands stay. */
  readonly args: readonly string[]
}

/** Returns the command that the arguments name, and the arguments in the syntax of the parser. */
export const withTwoDashes = (
  program: Command,
  args: readonly string[],
  passesThrough: PassesThrough
): Selected => {
  const left = [...args]
  const done: string[] = []
  let command = program
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const flag = flagIn(command, argument)
    if (flag) {
      done.push(...written(flag))
      if (flag.option.required && flag.value === undefined) done.push(...left.splice(0, 1))
      continue
    }
    done.push(argument)
    if (argument === '--') break
    if (argument.startsWith('-') && argument !== '-') continue
    const inner = command.commands.find(subcommand =>
      [subcommand.name(), ...subcommand.aliases()].includes(argument)
    )
    if (inner) command = inner
    else if (passesThrough(command)) break
  }
  return { command, args: [...done, ...left] }
}
