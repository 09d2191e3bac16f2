// Operations on configuration entries in the body of a transaction.
import { invalid } from '../../../actors/refusal.js'
import type { ConfigEntryOperationInput } from '../../../actors/transaction/config-entry.js'
import { nameOfEntry, type ConfigKind } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { ConfigError } from '../../../projections/config/config-error.js'
import { isObject, type Json } from '../../../projections/config/fields/containers.js'
import { decodeEntry, kindOf, type DecodedEntry } from '../../../projections/config/kinds/all.js'
import { entryTenancy, withRefusal, spellingOf } from '../config/entry-request.js'
import type { RequestContext } from '../../wire/request-context.js'
import { resolveTenancy } from '../../wire/tenancy.js'

interface Given {
  readonly Verb?: string
  readonly ConfigEntry?: unknown
}

const FAILED = 'Failed to parse body: field "ConfigEntry": '
const INDEXES: ReadonlySet<string> = new Set(['createindex', 'modifyindex'])
const MAX_UINT64 = 2n ** 64n - 1n

/** A field in any letter case. */
const field = (fields: Json, name: string): unknown =>
  Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1]

const textIn = (fields: Json, name: string): string | undefined => {
  const value = field(fields, name)
  return typeof value === 'string' ? value : undefined
}

const indexIn = (fields: Json): bigint => {
  const value = field(fields, 'modifyindex') ?? 0
  const index =
    typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined
  if (index === undefined || index < 0n || index > MAX_UINT64)
    throw invalid(`${FAILED}field "ModifyIndex" must be an unsigned integer of 64 bits`)
  return index
}

/** Integers of 64 bits as the numbers that entries have. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
    : value
}

/** Names of the entries of which there is one for a partition. */
const nameIn = (fields: Json, kind: ConfigKind): string =>
  textIn(fields, 'name') || (kind === 'proxy-defaults' ? 'global' : kind === 'mesh' ? 'mesh' : '')

/** What is to be stored; a broken rule is the operation's failure and not the body's. */
const settled = (entry: DecodedEntry, tenancy: Tenancy): ConfigEntryOperationInput['given'] => {
  try {
    entry.checkBody()
    return { content: entry.settle(tenancy) }
  } catch (error) {
    if (error instanceof ConfigError) return { fault: error.message }
    throw error
  }
}

/**
 * Get and the deletions need kind and name only.
 * @throws Refusal `invalid` for what is no entry
 */
export const entryOperation = (
  request: RequestContext,
  { Verb: verb = '', ConfigEntry: given = {} }: Given
): ConfigEntryOperationInput => {
  const fields = isObject(given) ? given : {}
  const kind = withRefusal(FAILED, () => kindOf(textIn(fields, 'kind')))
  const index = indexIn(fields)
  const [Namespace, Partition] = [textIn(fields, 'namespace'), textIn(fields, 'partition')]
  const named =
    Namespace || Partition ? resolveTenancy(request, 'many', { Namespace, Partition }) : request.tenancy
  const tenancy = entryTenancy(named, kind)
  const common = { verb, kind, tenancy, index, name: nameIn(fields, kind) }
  if (verb !== 'set' && verb !== 'cas') return { ...common, given: undefined }
  const body = Object.fromEntries(Object.entries(fields).filter(([key]) => !INDEXES.has(key.toLowerCase())))
  const result = settled(
    withRefusal(FAILED, () => decodeEntry(plain(body), spellingOf(request))),
    tenancy
  )
  return {
    ...common,
    given: result,
    ...(result && 'content' in result ? { name: nameOfEntry(result.content) } : {})
  }
}
