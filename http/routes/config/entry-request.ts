// What a request on configuration entries says: entry, kind, name, check-and-set, tenancy (spec: config.md §1, §2).
import { invalid, Refusal } from '../../../actors/refusal.js'
import { CONFIG_ENTRY_TOPIC, type ConfigKind } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { ConfigError } from '../../../projections/config/fields/decoder.js'
import type { Spelling } from '../../../projections/config/fields/decoder.js'
import { decodeEntry, kindOf, type DecodedEntry } from '../../../projections/config/kinds/all.js'
import { tenancyOfKind } from '../../../projections/config/names.js'
import { readPermissionOf, type EntryPermission } from '../../../projections/config/entry-permissions.js'
import { parseBounded } from '../../wire/bodies/json-parsing.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES, type RequestTenancy } from '../../wire/tenancy.js'
import { messageOf } from '../../../events/errors.js'

const UNSIGNED = /^\d{1,20}$/
const MAX_UINT64 = 2n ** 64n - 1n

/** Runs what may find a fault in an entry. @throws Refusal `invalid` with the fault's text */
export const withRefusal = <T>(prefix: string, run: () => T): T => {
  try {
    return run()
  } catch (error) {
    if (error instanceof ConfigError) throw invalid(`${prefix}${error.message}`)
    throw error
  }
}

const FAILED = 'Bad request: Decoding failed: '

/** The JSON value of a body. @throws Refusal `invalid` */
export const jsonBodyOf = ({ body: bytes }: RequestContext): unknown => {
  if (!bytes || bytes.length === 0) throw invalid(`${FAILED}EOF: the body is empty`)
  try {
    return parseBounded(bytes.toString())
  } catch (error) {
    throw invalid(FAILED + messageOf(error))
  }
}

/** Whether the letter case of field names matters to this server (decisions.md 3). */
export const spellingOf = ({ settings }: RequestContext): Spelling => (settings.compat ? 'any' : 'exact')

/** The entry of a body. @throws Refusal `invalid` */
export const entryIn = (request: RequestContext): DecodedEntry => {
  const body = jsonBodyOf(request)
  return withRefusal(FAILED, () => decodeEntry(body, spellingOf(request)))
}

/** The check-and-set index of a request; undefined when it has none. @throws Refusal `invalid` */
export const casOf = ({ query }: RequestContext): number | undefined => {
  const given = query.filled('cas')
  if (given === undefined) return undefined
  if (!UNSIGNED.test(given) || BigInt(given) > MAX_UINT64)
    throw invalid(`Bad request: Invalid cas: "${given}" is not an unsigned integer of 64 bits`)
  return Number(given)
}

/** The kind that the path names. @throws Refusal `invalid` for an unknown one */
export const kindIn = (request: RequestContext): ConfigKind =>
  withRefusal('Bad request: ', () => kindOf(request.param('kind')))

/** The name that the path ends with; it may hold slashes. @throws Refusal `missing` when there is none */
export const nameIn = (request: RequestContext): string => {
  const name = request.param('name')
  if (name === '') throw new Refusal('missing', 'Not found: the path names no configuration entry')
  return name
}

/**
 * The tenancy in which an entry of a kind lives, from that of the request.
 * @throws Refusal `invalid` where the kind has no such namespace
 */
export const entryTenancy = (given: RequestTenancy, kind: ConfigKind): Tenancy => {
  const { partition, namespace, isNamespaceGiven } = given
  if (namespace === ALL_NAMESPACES && kind !== 'service-intentions')
    throw invalid(`Bad request: Invalid namespace "*": a wildcard is not allowed for ${kind}`)
  const home = tenancyOfKind(kind, { partition, namespace })
  if (isNamespaceGiven && home.namespace !== namespace)
    throw invalid(
      `Bad request: Invalid namespace "${namespace}": ${kind} exists only in the namespace "default"`
    )
  return home
}

export const mayReadEntry = (
  request: RequestContext,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy
): boolean => {
  const permission = readPermissionOf(kind, name, tenancy)
  if (!permission) return true
  return request.may(permission.resource, permission.access, permission.segment, permission.tenancy)
}

/** @throws Refusal `denied` that names the missing permission */
export const requireEntryPermission = (request: RequestContext, right: EntryPermission | undefined): void => {
  if (right) request.require(right.resource, right.access, right.segment, right.tenancy)
}

/** An entry as its events name it. */
export const entryKeyOf = (kind: ConfigKind, name: string, tenancy: Tenancy): ResourceKey => {
  const { partition, namespace } = tenancyOfKind(kind, tenancy)
  return { topic: CONFIG_ENTRY_TOPIC, partition, namespace, key: `${kind}/${name.toLowerCase()}` }
}
