// What every kind of configuration entry brings: how its body is read, and its rules (spec: config.md §3, §4).
import type { ConfigContent } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError } from '../fields/decoder.js'
import type { Schemas, Spelling } from '../fields/decoder.js'
import { mapOf, list } from '../fields/containers.js'
import type { Json } from '../fields/containers.js'
import { always, ignoredKey, storedIfFilled, object } from '../fields/object.js'
import { integer, lowerText, text, flag } from '../fields/scalars.js'

/**
 * Runs a check, which throws a ConfigError that names the field and the rule. A write lets the first error through; a
 * trial collects them all.
 */
export type Checking = (check: () => void) => void

/** A kind. All of it is pure. */
export interface KindRules<Content extends ConfigContent> {
  /** What a body holds, and what is shown, without its `Kind` and indexes. */
  readonly schemas: Schemas
  /** Reads a body without its `Kind`. @throws ConfigError naming field and rule */
  readonly decode: (body: Json, spelling: Spelling) => Content
  /** A rule on the body that only those are told of who may write the entry. @throws ConfigError */
  readonly checkBody?: (body: Json) => void
  /** Puts right what depends on the entry's tenancy, and what is computed. */
  readonly normalise?: (content: Content, tenancy: Tenancy) => Content
  /** Has every rule checked that an entry can break by itself. */
  readonly validate: (content: Content, tenancy: Tenancy, check: Checking) => void
}

const MOST_META = 64
const LONGEST_META_KEY = 128
const LONGEST_META_VALUE = 512

export const meta = storedIfFilled(mapOf(text, ''))

/** Accepted in every body and not part of the content: the tenancy is the request's, indexes are the service's. */
export const serviceFields = {
  Namespace: ignoredKey(text),
  Partition: ignoredKey(text),
  CreateIndex: ignoredKey(integer),
  ModifyIndex: ignoredKey(integer)
}

export const nameField = { Name: always(text, '') }

export const checkName = (name: string): void => {
  if (name === '') throw new ConfigError('field "Name" is required')
}

export const checkMeta = (given: Readonly<Record<string, string>> = {}): void => {
  const pairs = Object.entries(given)
  if (pairs.length > MOST_META)
    throw new ConfigError(`field "Meta" has ${pairs.length} pairs: at most ${MOST_META} are allowed`)
  for (const [key, value] of pairs) {
    if (Buffer.byteLength(key) > LONGEST_META_KEY)
      throw new ConfigError(`a key of field "Meta" is longer than ${LONGEST_META_KEY} bytes`)
    if (Buffer.byteLength(value) > LONGEST_META_VALUE)
      throw new ConfigError(`field "Meta.${key}" is longer than ${LONGEST_META_VALUE} bytes`)
  }
}

/** The fields in which a part of an entry says where something is; what it says is kept as it is. */
export const partTenancy = { Namespace: storedIfFilled(lowerText), Partition: storedIfFilled(lowerText) }

/** The namespace of a part that names none is said outside `default`: it is that of the entry. */
export const partNamespace = (
  given: string | undefined,
  { namespace }: Tenancy
): { readonly Namespace?: string } => {
  const named = given ?? (namespace === 'default' ? undefined : namespace)
  return named === undefined ? {} : { Namespace: named }
}

/** Fields that several kinds have (spec: config.md §3). */
export const meshGateway = always(object({ Mode: storedIfFilled(text) }), {})

export const transparentProxy = always(
  object({ OutboundListenerPort: storedIfFilled(integer), DialedDirectly: storedIfFilled(flag) }),
  {}
)

const exposePath = object({
  ListenerPort: storedIfFilled(integer),
  Path: storedIfFilled(text),
  LocalPathPort: storedIfFilled(integer),
  Protocol: storedIfFilled(text),
  ParsedFromCheck: storedIfFilled(flag)
})

export const expose = always(
  object({ Checks: storedIfFilled(flag), Paths: storedIfFilled(list(exposePath, {})) }),
  {}
)
