import * as Type from 'typebox'
import { parseMilliseconds } from '../../events/duration.js'
import { parseNetwork } from '../../projections/ip-address.js'

/** Notes in a key's schema for messages, flags and documentation. */
export interface KeyNotes {
  /** Type of the value in the documentation. */
  readonly kind: string
  /** Completes "KEY must …" in an error. */
  readonly rule: string
  /** Flag without dashes, if it is not derived from the path; null for none. */
  readonly flag?: string | null
  /** Never shown, and has no flag, because other users of the machine could read it. */
  readonly secret?: boolean
  /** Fields that may be shown, of the values of a secret map. */
  readonly shows?: readonly string[]
  /** A reload applies it. Otherwise it needs a restart. */
  readonly reloads?: boolean
  /** The default in words, if it is not a single value. */
  readonly otherwise?: string
}

type Given = Partial<Omit<KeyNotes, 'kind'>> & { readonly default?: unknown }

const options = (kind: string, rule: string, description: string, given: Given) => {
  const { default: value, ...notes } = given
  const annals: KeyNotes = { kind, rule, ...notes }
  return { description, annals, ...(value === undefined ? {} : { default: value }) }
}

/** A non-empty text; `pattern` limits it. */
export const text = (description: string, given: Given & { readonly pattern?: string } = {}) => {
  const { pattern = '^[^]+$', ...rest } = given
  return Type.String({ pattern, ...options('text', 'be a text that is not empty', description, rest) })
}

export const optionalText = (description: string, given: Parameters<typeof text>[1] = {}) =>
  Type.Optional(text(description, { otherwise: 'none', ...given }))

export const KEY = '^[A-Za-z0-9+/]{43}=$'
export const KEY_FORMAT = '32 bytes in Base64, as `openssl rand -base64 32` makes them'

export const secretKey = (description: string, given: Given = {}) =>
  optionalText(description, { secret: true, pattern: KEY, rule: `be ${KEY_FORMAT}`, ...given })

export const choice = <const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  given: Given = {}
) => {
  const list = values.map(value => `"${value}"`).join(', ')
  return Type.Enum(values, options(`one of ${list}`, `be one of ${list}`, description, given))
}

export const toggle = (description: string, given: Given = { default: false }) =>
  Type.Boolean(options('true or false', 'be true or false', description, given))

/** @param range lower and upper limit, both included */
export const integer = (
  [minimum, maximum]: readonly [number, number],
  description: string,
  given: Given = {}
) =>
  Type.Integer({
    minimum,
    maximum,
    ...options('whole number', `be a whole number from ${minimum} to ${maximum}`, description, given)
  })

/** An integer, or "auto" for one that depends on the machine. @param automatic returns it */
export const integerOrAuto = (
  [minimum, maximum]: readonly [number, number],
  automatic: () => number,
  description: string,
  given: Given = {}
) =>
  Type.Decode(
    Type.Union(
      [Type.Integer({ minimum, maximum }), Type.Literal('auto')],
      options(
        'whole number or "auto"',
        `be a whole number from ${minimum} to ${maximum}, or "auto"`,
        description,
        given
      )
    ),
    value => (value === 'auto' ? automatic() : value)
  )

/** Above 0, at most 1. */
export const fraction = (description: string, given: Given = {}) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    ...options('number', 'be a number above 0, and at most 1', description, given)
  })

const SECTORS: readonly number[] = [512, 4096]

export const sectorBytes = (description: string, given: Given = {}) =>
  Type.Refine(Type.Integer(options('512 or 4096', 'be 512 or 4096', description, given)), value =>
    SECTORS.includes(value)
  )

const toMilliseconds = (value: string): number => parseMilliseconds(value) ?? 0

/** A Go duration of at least `least`; milliseconds in the settings. */
export const duration = (description: string, given: Given & { readonly least?: string } = {}) => {
  const { least, ...rest } = given
  const bound = least === undefined ? '' : `, at least ${least}`
  return Type.Decode(
    Type.Refine(
      Type.String(
        options('duration', `be a duration with units, such as "30s" or "1h30m"${bound}`, description, rest)
      ),
      value => (parseMilliseconds(value) ?? -1) >= toMilliseconds(least ?? '0s')
    ),
    toMilliseconds
  )
}

export const texts = (description: string, given: Given & { readonly pattern?: string } = {}) => {
  const { pattern = '^[^]+$', ...rest } = given
  return Type.Array(Type.String({ pattern }), {
    ...options('list of texts', 'be a list of texts that are not empty', description, {
      default: [],
      ...rest
    })
  })
}

export const textsLike = (isLike: (text: string) => boolean, description: string, given: Given) =>
  Type.Array(
    Type.Refine(Type.String(), isLike),
    options('list of texts', 'be a list of texts', description, { default: [], ...given })
  )

/** IP addresses and networks in CIDR notation. */
export const networks = (description: string, given: Given = {}) =>
  textsLike(value => parseNetwork(value) !== undefined, description, {
    rule: 'be a list of IP addresses and networks, such as ["10.0.0.0/8", "fd00::/8"]',
    ...given
  })

/** A map from names to values of one kind; in the environment it is written as JSON. */
export const map = <Value extends Type.TSchema>(value: Value, description: string, given: Given) =>
  Type.Record(Type.String(), value, {
    ...options('map', 'be a JSON object', description, { default: {}, ...given })
  })

export const section = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, default: {} })

const isNotes = (value: unknown): value is KeyNotes =>
  typeof value === 'object' && value !== null && 'rule' in value

export const notesOf = (schema: Type.TSchema): KeyNotes | undefined => {
  const notes: unknown = Reflect.get(schema, 'annals')
  return isNotes(notes) ? notes : undefined
}
