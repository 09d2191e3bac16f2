// The body of POST /v1/discovery-chain: what the caller overrides (spec: config.md §2, §6).
import { invalid } from '../../../actors/refusal.js'
import type { Overrides } from '../../../projections/chain/overrides.js'
import { ConfigError } from '../../../projections/config/config-error.js'
import { isObject, type Json } from '../../../projections/config/fields/containers.js'
import { always, object } from '../../../projections/config/fields/object.js'
import { decoder, type Decoder } from '../../../projections/config/fields/decoder.js'
import { nanoseconds, text } from '../../../projections/config/fields/scalars.js'
import { fieldOf, spellingsOf, type Spelling } from '../../../projections/config/fields/spelling.js'
import { parseBounded } from '../../wire/bodies/json-depth.js'
import { messageOf } from '../../../events/errors.js'

const MODES: ReadonlySet<string> = new Set(['', 'none', 'local', 'remote'])

/** An object; in a list of one it counts as the object itself. */
const single = (given: unknown): unknown => (Array.isArray(given) && given.length === 1 ? given[0] : given)

/** A decoder of objects that passes over fields which it does not know. */
const lenient = <Value>(names: readonly string[], decode: Decoder<Value>): Decoder<Value> => {
  const spellings = spellingsOf(names)
  const known = (fields: Json, spelling: Spelling): Json =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => fieldOf(name, spellings, spelling) !== undefined)
    )
  return decoder(decode.schemas, (given, path, spelling = 'any') => {
    const value = single(given)
    return decode(isObject(value) ? known(value, spelling) : given, path, spelling)
  })
}

const FIELDS = ['OverrideProtocol', 'OverrideConnectTimeout', 'OverrideMeshGateway'] as const
const GATEWAY_FIELDS = ['Mode'] as const

const decodeOverrides = lenient(
  FIELDS,
  object({
    OverrideProtocol: always(text, ''),
    OverrideConnectTimeout: always(nanoseconds, 0),
    OverrideMeshGateway: always(lenient(GATEWAY_FIELDS, object({ Mode: always(text, '') })), {})
  })
)

/** Names of the fields that are none of those known, each after `path`. */
const unknownIn = (
  given: unknown,
  names: readonly string[],
  spelling: Spelling,
  path: string
): readonly string[] => {
  const value = single(given)
  const spellings = spellingsOf(names)
  if (!isObject(value)) return []
  return Object.keys(value)
    .filter(name => fieldOf(name, spellings, spelling) === undefined)
    .map(name => path + name)
}

const ignoredIn = (value: Json, spelling: Spelling): readonly string[] => {
  const spellings = spellingsOf(FIELDS)
  return [
    ...unknownIn(value, FIELDS, spelling, ''),
    ...Object.entries(value).flatMap(([name, inner]) =>
      fieldOf(name, spellings, spelling) === 'OverrideMeshGateway'
        ? unknownIn(inner, GATEWAY_FIELDS, spelling, 'OverrideMeshGateway.')
        : []
    )
  ]
}

interface GivenOverrides {
  readonly overrides: Overrides
  /** Names of fields that are passed over since nobody knows them. */
  readonly ignored: readonly string[]
}

/**
 * The overrides of a body; `null` stands for an empty object.
 * @throws Refusal `invalid`, naming the field and the rule
 */
export const chainOverrides = (bytes: Buffer | undefined, spelling: Spelling): GivenOverrides => {
  const failed = (reason: string): Error => invalid(`Bad request: Request decoding failed: ${reason}`)
  if (!bytes || bytes.length === 0) throw failed('EOF: the body is empty')
  let value: unknown
  try {
    value = parseBounded(bytes.toString()) ?? {}
  } catch (error) {
    throw failed(messageOf(error))
  }
  if (!isObject(value)) throw failed('the body must be an object')
  try {
    const { OverrideProtocol, OverrideConnectTimeout, OverrideMeshGateway } = decodeOverrides(
      value,
      '',
      spelling
    )
    const { Mode } = OverrideMeshGateway
    if (!MODES.has(Mode))
      throw invalid(
        `Invalid OverrideMeshGateway.Mode parameter: "${Mode}" is none of "", "none", "local" and "remote"`
      )
    const overrides = {
      protocol: OverrideProtocol,
      connectTimeout: Math.max(OverrideConnectTimeout, 0),
      meshGatewayMode: Mode
    }
    return { overrides, ignored: ignoredIn(value, spelling) }
  } catch (error) {
    throw error instanceof ConfigError ? failed(error.message) : error
  }
}
