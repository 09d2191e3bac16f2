import type { ConfigContent } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError, type Schemas, type Spelling } from '../../../events/config/fields/decoder.js'
import { mapOf, list, type Json } from '../../../events/config/fields/containers.js'
import {
  always,
  ignoredKey,
  storedIfFilled,
  object,
  type Fields
} from '../../../events/config/fields/object.js'
import { integer, lowerText, text, flag } from '../../../events/config/fields/scalars.js'

/** Runs a check, which throws a ConfigError. A write stops at the first error; a dry run collects them all. */
export type Checking = (check: () => void) => void

export interface KindRules<Content extends ConfigContent> {
  /** The schemas of input and output, without `Kind` and indexes. */
  readonly schemas: Schemas
  /** Decodes a body without its `Kind`. @throws ConfigError naming field and rule */
  readonly decode: (body: Json, spelling: Spelling) => Content
  /** A rule whose violation is reported only to callers who may write the entry. @throws ConfigError */
  readonly checkBody?: (body: Json) => void
  /** Sets the fields that depend on the entry's tenancy, and computed ones. */
  readonly normalise?: (content: Content, tenancy: Tenancy) => Content
  readonly validate: (content: Content, tenancy: Tenancy, check: Checking) => void
}

const MAX_META_PAIRS = 64
const MAX_META_KEY_BYTES = 128
const MAX_META_VALUE_BYTES = 512

export const meta = storedIfFilled(mapOf(text, ''))

/** Accepted in every body and ignored: the tenancy is the request's, and the server sets indexes. */
export const serviceFields = {
  Namespace: ignoredKey(text),
  Partition: ignoredKey(text),
  CreateIndex: ignoredKey(integer),
  ModifyIndex: ignoredKey(integer)
}

const nameField = { Name: always(text, '') }

/** The body of an entry of any kind, with the fields of its kind (spec: config.md §3, §4). */
export const entryObject = <const F extends Fields>(fields: F) =>
  object({ ...nameField, ...fields, Meta: meta, ...serviceFields })

export const checkName = (name: string): void => {
  if (name === '') throw new ConfigError('field "Name" is required')
}

export const checkMeta = (pairs: Readonly<Record<string, string>> = {}): void => {
  const entries = Object.entries(pairs)
  if (entries.length > MAX_META_PAIRS)
    throw new ConfigError(`field "Meta" has ${entries.length} pairs: at most ${MAX_META_PAIRS} are allowed`)
  for (const [key, value] of entries) {
    if (Buffer.byteLength(key) > MAX_META_KEY_BYTES)
      throw new ConfigError(`a key of field "Meta" is longer than ${MAX_META_KEY_BYTES} bytes`)
    if (Buffer.byteLength(value) > MAX_META_VALUE_BYTES)
      throw new ConfigError(`field "Meta.${key}" is longer than ${MAX_META_VALUE_BYTES} bytes`)
  }
}

export const checkNameAndMeta = (
  name: string,
  pairs: Readonly<Record<string, string>> | undefined,
  check: Checking
): void => {
  check(() => checkName(name))
  check(() => checkMeta(pairs))
}

/** The tenancy of a part of an entry, unchanged. */
export const partTenancy = { Namespace: storedIfFilled(lowerText), Partition: storedIfFilled(lowerText) }

/** Outside `default`, a part without a namespace gets that of the entry. */
export const partNamespace = (
  given: string | undefined,
  { namespace }: Tenancy
): { readonly Namespace?: string } => {
  const named = given ?? (namespace === 'default' ? undefined : namespace)
  return named === undefined ? {} : { Namespace: named }
}

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
