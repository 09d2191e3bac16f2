import type { ConfigContent } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError, type Decoder } from '../../../events/config/fields/decoder.js'
import type { Json } from '../../../events/config/fields/scalars.js'

/** Runs a check, which throws a ConfigError. A write stops at the first error; a dry run collects them all. */
export type Checking = (check: () => void) => void

export interface KindRules<Content extends ConfigContent> {
  /** Decodes a body without its `Kind`. Its schemas lack `Kind` and indexes. */
  readonly decode: Decoder<Content>
  /** A rule whose violation is reported only to callers who may write the entry. @throws ConfigError */
  readonly checkBody?: (body: Json) => void
  /** Sets the fields that depend on the entry's tenancy, and computed ones. */
  readonly normalise?: (content: Content, tenancy: Tenancy) => Content
  readonly validate: (content: Content, tenancy: Tenancy, check: Checking) => void
}

const MAX_META_PAIRS = 64
const MAX_META_KEY_BYTES = 128
const MAX_META_VALUE_BYTES = 512

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

/** Outside `default`, a part without a namespace gets that of the entry. */
export const partNamespace = (
  given: string | undefined,
  { namespace }: Tenancy
): { readonly Namespace?: string } => {
  const named = given ?? (namespace === 'default' ? undefined : namespace)
  return named === undefined ? {} : { Namespace: named }
}
