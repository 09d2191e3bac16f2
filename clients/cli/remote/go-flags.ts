// Flags as programs written in Go take them, which many hands know: one dash before a long name, and `-recurse=false`.
import type { Command, Option } from 'commander'

/** Other names of flags, by the name that they stand for; of the flags of one command. */
type Synonyms = ReadonlyMap<string, string>

const synonymsOf = new WeakMap<Command, Synonyms>()

/** Has a command take a flag by another name, too. */
export const alsoCalled = (command: Command, name: string, others: readonly string[]): void => {
  const before = synonymsOf.get(command) ?? new Map<string, string>()
  synonymsOf.set(command, new Map([...before, ...others.map(other => [other, name] as const)]))
}

interface Flag {
  readonly option: Option
  readonly value: string | undefined
}

/** What an argument says to a command that knows the flag; undefined for anything else. */
const flagIn = (command: Command, argument: string): Flag | undefined => {
  const [, dashes = '', given = '', value] = /^(--?)([a-z][a-z0-9-]*)(?:=([^]*))?$/i.exec(argument) ?? []
  if (dashes === '' || (dashes === '-' && given.length === 1)) return undefined
  const name = synonymsOf.get(command)?.get(given) ?? given
  const option = command.options.find(({ long }) => long === `--${name}`)
  return option && { option, value }
}

const FALSE = new Set(['false', 'f', '0'])
const TRUE = new Set(['true', 't', '1'])

/** A flag as the parser takes it, with its value if that stood beside it. */
const written = ({ option, value }: Flag): readonly string[] => {
  const { long = '' } = option
  if (value === undefined) return [long]
  if (option.required || option.optional) return [`${long}=${value}`]
  if (FALSE.has(value.toLowerCase())) return []
  return TRUE.has(value.toLowerCase()) ? [long] : [`${long}=${value}`]
}

/** Whether what follows the arguments of a command belongs to another program. */
type PassesThrough = (command: Command) => boolean

/**
 * The arguments of a program with every long flag behind two dashes and by its first name. Values of flags, what follows
 * `--`, and what is meant for another program stay as they are.
 */
export const withTwoDashes = (
  program: Command,
  args: readonly string[],
  passesThrough: PassesThrough
): readonly string[] => {
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
    const inner = command.commands.find(each => [each.name(), ...each.aliases()].includes(argument))
    if (inner) command = inner
    else if (passesThrough(command)) break
  }
  return [...done, ...left]
}
