// What a command of the command line takes: its flags and arguments, declared once for the parser, the help, the
// completion and the compiler.
import { Argument, InvalidArgumentError, Option } from 'commander'
import { MILLISECOND, parseDuration } from '../../../events/duration.js'
import { UsageError } from '../console.js'

/** A flag. What it is called follows from its name in the declaration: `policyName` is `--policy-name`. */
export interface FlagDefinition<Value> {
  readonly about: string
  /** What stands for the value in the help; a flag without one takes no value. */
  readonly value?: string
  /** Other names that are taken. */
  readonly also?: readonly string[]
  readonly choices?: readonly string[]
  /** It is written with `no-` before its name. */
  readonly isNegative?: true
  readonly otherwise: Value
  /** The value with one more text. @throws InvalidArgumentError */
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

/** `--recurse`: true when it is given. */
export const on = (about: string, notes: Notes = {}): FlagDefinition<boolean> => ({
  about,
  ...notes,
  otherwise: false,
  take: () => true
})

/** `merge` is `--no-merge`: false when it is given. */
export const off = (about: string): FlagDefinition<boolean> => ({
  about,
  isNegative: true,
  otherwise: true,
  take: () => false
})

/** `--name web`. */
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

/** `--policy-name a --policy-name b`, in this order. */
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

/** `--meta a=1 --meta b=2`. */
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

/** `--limit 10`: a whole number from 0, kept as it is written since it may be greater than JavaScript counts. */
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

/** `--timeout 1m30s`, in milliseconds. */
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

/** `policyName` is `policy-name`. */
export const flagName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

export const optionOf = (name: string, shape: FlagDefinition<unknown>): Option => {
  const { about, value, choices, isNegative } = shape
  const option = new Option(
    `--${isNegative ? 'no-' : ''}${flagName(name)}${value === undefined ? '' : ` <${value}>`}`,
    about
  )
  if (choices) option.choices(choices)
  // Takes the place of what `choices` has set, which knows no values before.
  if (value !== undefined)
    option.argParser((given, before) => {
      if (choices?.includes(given) === false)
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      return shape.take(given, before)
    })
  return option
}

/** An argument: an `optional` one is undefined when it is absent, and a `rest` takes all that follow. */
export interface ArgumentDefinition<Value> {
  readonly about: string
  readonly kind: 'needed' | 'optional' | 'rest'
  /** Only for its type. */
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
