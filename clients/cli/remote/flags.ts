// Flags and arguments, declared once for the parser, the help, the completion and the compiler.
import { Argument, InvalidArgumentError, Option } from 'commander'
import { MILLISECOND, parseDuration } from '../../../events/duration.js'
import { UsageError } from '../console.js'

/** A flag, named after its key: `policyName` is `--policy-name`. */
export interface FlagDefinition<Value> {
  readonly about: string
  /** The placeholder in the help; absent for a flag without a value. */
  readonly value?: string
  /** Other names. */
  readonly also?: readonly string[]
  readonly choices?: readonly string[]
  /** Its name has the prefix `no-`. */
  readonly isNegative?: true
  readonly otherwise: Value
  /** Adds one occurrence to the value. @throws InvalidArgumentError */
  take(text: string, before: Value): Value
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition<unknown>>>
export type FlagValues<Shapes extends FlagDefinitions> = {
  readonly [Name in keyof Shapes]: Shapes[Name]['otherwise']
}

interface Notes {
  readonly also?: readonly string[]
}

interface TextNotes extends Notes {
  readonly choices?: readonly string[]
}

/** `--recurse` */
export const on = (about: string, notes: Notes = {}): FlagDefinition<boolean> => ({
  about,
  ...notes,
  otherwise: false,
  take: () => true
})

/** `--no-merge`, declared as `merge` */
export const off = (about: string): FlagDefinition<boolean> => ({
  about,
  isNegative: true,
  otherwise: true,
  take: () => false
})

/** `--name web` */
export const text = (
  value: string,
  about: string,
  notes: TextNotes = {}
): FlagDefinition<string | undefined> => ({
  about,
  value,
  ...notes,
  otherwise: undefined,
  take: given => given
})

/** `--policy-name a --policy-name b` */
export const texts = (
  value: string,
  about: string,
  notes: TextNotes = {}
): FlagDefinition<readonly string[]> => ({
  about: `${about} (repeatable)`,
  value,
  ...notes,
  otherwise: [],
  take: (given, before) => [...before, given]
})

/** `--meta a=1 --meta b=2` */
export const pairs = (
  about: string,
  notes: Notes = {}
): FlagDefinition<Readonly<Record<string, string>>> => ({
  about: `${about} (repeatable)`,
  value: 'name=value',
  ...notes,
  otherwise: {},
  take: (given, before) => {
    const at = given.indexOf('=')
    if (at < 1) throw new InvalidArgumentError('It is written name=value.')
    return { ...before, [given.slice(0, at)]: given.slice(at + 1) }
  }
})

/** `--limit 10`, a text because it may exceed 2^53 */
export const whole = (
  value: string,
  about: string,
  notes: Notes = {}
): FlagDefinition<string | undefined> => ({
  about,
  value,
  ...notes,
  otherwise: undefined,
  take: given => {
    if (!/^\d{1,20}$/.test(given)) throw new InvalidArgumentError('It is a whole number from 0.')
    return given
  }
})

/** `--timeout 1m30s`, in milliseconds */
export const duration = (about: string, notes: Notes = {}): FlagDefinition<number | undefined> => ({
  about,
  value: 'duration',
  ...notes,
  otherwise: undefined,
  take: given => {
    const nanoseconds = parseDuration(given)
    if (nanoseconds === undefined || nanoseconds < 0)
      throw new InvalidArgumentError('It is a duration such as 30s or 1h30m.')
    return nanoseconds / MILLISECOND
  }
})

export const flagName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export const optionOf = (name: string, shape: FlagDefinition<unknown>): Option => {
  const { about, value, choices, isNegative } = shape
  const option = new Option(
    `--${isNegative ? 'no-' : ''}${flagName(name)}${value === undefined ? '' : ` <${value}>`}`,
    about
  )
  if (choices) option.choices(choices)
  // Replaces the parser of `choices`, which ignores earlier values.
  if (value !== undefined)
    option.argParser((given, before) => {
      if (choices?.includes(given) === false)
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      return shape.take(given, before)
    })
  return option
}

/** `rest` takes all remaining arguments. */
export interface ArgumentDefinition<Value> {
  readonly about: string
  readonly kind: 'needed' | 'optional' | 'rest'
  /** Used for its type only. */
  readonly otherwise: Value
}

export type ArgumentDefinitions = Readonly<Record<string, ArgumentDefinition<unknown>>>
export type ArgumentValues<Shapes extends ArgumentDefinitions> = {
  readonly [Name in keyof Shapes]: Shapes[Name]['otherwise']
}

export const needed = (about: string): ArgumentDefinition<string> => ({
  about,
  kind: 'needed',
  otherwise: ''
})
export const optional = (about: string): ArgumentDefinition<string | undefined> => ({
  about,
  kind: 'optional',
  otherwise: undefined
})
export const rest = (about: string): ArgumentDefinition<readonly string[]> => ({
  about,
  kind: 'rest',
  otherwise: []
})

const MARKS = { needed: ['<', '>'], optional: ['[', ']'], rest: ['[', '...]'] } as const

export const argumentOf = (name: string, { about, kind }: ArgumentDefinition<unknown>): Argument =>
  new Argument(MARKS[kind].join(flagName(name)), about)

interface Condition {
  readonly cas: boolean
  readonly modifyIndex: string | undefined
}

/** Returns the required ModifyIndex: 0 if the resource must not exist, undefined for an unconditional write. @throws UsageError */
export const casOf = ({ cas, modifyIndex }: Condition): string | undefined => {
  if (!cas && modifyIndex !== undefined) throw new UsageError('--modify-index has no effect without --cas')
  return cas ? (modifyIndex ?? '0') : undefined
}
