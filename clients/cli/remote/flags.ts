// Flags and arguments, declared once for the parser, the help, the completion and the compiler.
import { Argument, InvalidArgumentError, Option } from 'commander'
import { MILLISECOND, parseDuration } from '../../../events/duration.js'
import type { CompletionSource } from '../completion/sources.js'
import { UsageError } from '../console.js'
import { MOMENT, parseMoment } from './times.js'

/** A flag, named after its key: `policyName` is `--policy-name`. */
export interface FlagDefinition<Value> {
  readonly about: string
  /** The placeholder in the help; absent for a flag without a value. */
  readonly value?: string
  /** A letter. */
  readonly short?: string
  readonly also?: readonly string[]
  readonly choices?: readonly string[]
  readonly completes?: CompletionSource
  /** Its name has the prefix `no-`. */
  readonly isNegative?: true
  readonly initial: Value
  /** Adds one occurrence to the value. @throws InvalidArgumentError */
  parse(input: string, before: Value): Value
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition<unknown>>>
export type FlagValues<Definitions extends FlagDefinitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name]['initial']
}

type FlagOptions = Pick<FlagDefinition<unknown>, 'short' | 'also' | 'choices' | 'completes'>

/** `--recurse` */
export const on = (about: string, options: FlagOptions = {}): FlagDefinition<boolean> => ({
  about,
  ...options,
  initial: false,
  parse: () => true
})

/** `--no-merge`, declared as `merge` */
export const off = (about: string): FlagDefinition<boolean> => ({
  about,
  isNegative: true,
  initial: true,
  parse: () => false
})

const single = <Value>(
  value: string,
  about: string,
  options: FlagOptions,
  parse: (text: string) => Value
): FlagDefinition<Value | undefined> => ({ about, value, ...options, initial: undefined, parse })

/** `--name web` */
export const text = (value: string, about: string, options: FlagOptions = {}) =>
  single(value, about, options, input => input)

/** `--policy-name a --policy-name b` */
export const texts = (
  value: string,
  about: string,
  options: FlagOptions = {}
): FlagDefinition<readonly string[]> => ({
  about: `${about} (repeatable)`,
  value,
  ...options,
  initial: [],
  parse: (input, before) => [...before, input]
})

/** `--meta a=1 --meta b=2` */
export const pairs = (about: string): FlagDefinition<Readonly<Record<string, string>>> => ({
  about: `${about} (repeatable)`,
  value: 'name=value',
  initial: {},
  parse: (input, before) => {
    const at = input.indexOf('=')
    if (at < 1) throw new InvalidArgumentError('It is written name=value.')
    return { ...before, [input.slice(0, at)]: input.slice(at + 1) }
  }
})

/** `--since 2h`: an index, or a time in RFC 3339 */
export const moment = (about: string) => single('time', about, {}, input => parseMoment(input))

/** `--limit 10`, a text because it may exceed 2^53 */
export const integer = (value: string, about: string) =>
  single(value, about, {}, input => {
    if (!/^\d{1,20}$/.test(input)) throw new InvalidArgumentError('It is a whole number from 0.')
    return input
  })

/** Returns the number of an integer flag; undefined if it is not given. */
export const numberOf = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)

/** `--timeout 1m30s`, in milliseconds */
export const duration = (about: string) =>
  single('duration', about, {}, input => {
    const nanoseconds = parseDuration(input)
    if (nanoseconds === undefined || nanoseconds < 0)
      throw new InvalidArgumentError('It is a duration such as 30s or 1h30m.')
    return nanoseconds / MILLISECOND
  })

export const flagName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** The sources of completions, by flag and argument. */
export const completionSources = new WeakMap<Option | Argument, CompletionSource>()

export const optionOf = (name: string, definition: FlagDefinition<unknown>): Option => {
  const { about, value, choices, isNegative, short } = definition
  const option = new Option(
    `${short === undefined ? '' : `-${short}, `}--${isNegative ? 'no-' : ''}${flagName(name)}${value === undefined ? '' : ` <${value}>`}`,
    about
  )
  if (choices) option.choices(choices)
  if (definition.completes) completionSources.set(option, definition.completes)
  // Replaces the parser of `choices`, which ignores earlier values.
  if (value !== undefined)
    option.argParser((input, before) => {
      if (choices?.includes(input) === false)
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
      return definition.parse(input, before)
    })
  return option
}

/** `rest` takes all remaining arguments. */
export interface ArgumentDefinition<Value> {
  readonly about: string
  readonly kind: 'required' | 'optional' | 'rest'
  /** Used for its type only. */
  readonly initial: Value
  /** @throws InvalidArgumentError */
  readonly parse?: (input: string) => string
  readonly completes?: CompletionSource | undefined
}

export type ArgumentDefinitions = Readonly<Record<string, ArgumentDefinition<unknown>>>
export type ArgumentValues<Definitions extends ArgumentDefinitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name]['initial']
}

export const required = (about: string, completes?: CompletionSource): ArgumentDefinition<string> => ({
  about,
  kind: 'required',
  initial: '',
  completes
})
export const optional = (
  about: string,
  completes?: CompletionSource
): ArgumentDefinition<string | undefined> => ({ about, kind: 'optional', initial: undefined, completes })
export const rest = (about: string): ArgumentDefinition<readonly string[]> => ({
  about,
  kind: 'rest',
  initial: []
})

/** An index, or a time in RFC 3339. */
export const requiredMoment = (about: string): ArgumentDefinition<string> => ({
  ...required(`${about}: ${MOMENT}`),
  parse: input => parseMoment(input)
})
export const optionalMoment = (about: string): ArgumentDefinition<string | undefined> => ({
  ...optional(about),
  parse: input => parseMoment(input)
})

const MARKS = { required: ['<', '>'], optional: ['[', ']'], rest: ['[', '...]'] } as const

export const argumentOf = (
  name: string,
  { about, kind, parse, completes }: ArgumentDefinition<unknown>
): Argument => {
  const argument = new Argument(MARKS[kind].join(flagName(name)), about)
  if (completes) completionSources.set(argument, completes)
  return parse ? argument.argParser(input => parse(input)) : argument
}

interface Condition {
  readonly cas: boolean
  readonly modifyIndex: string | undefined
}

/** Returns the required ModifyIndex: 0 if the resource must not exist, undefined for an unconditional write. @throws UsageError */
export const casOf = ({ cas, modifyIndex }: Condition): string | undefined => {
  if (!cas && modifyIndex !== undefined) throw new UsageError('--modify-index has no effect without --cas')
  return cas ? (modifyIndex ?? '0') : undefined
}
