// Parses requests on configuration entries: entry, kind, name, check-and-set, tenancy (spec: config.md §1, §2).
import { invalidWith, invalid, Refusal } from '../../../actors/refusal.js'
import { CONFIG_ENTRY_TOPIC, type ConfigKind } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { ConfigError, type Spelling } from '../../../events/config/fields/decoder.js'
import { decodeEntry, kindOf, type DecodedEntry } from '../../../projections/config/kinds/all.js'
import { tenancyOfKind } from '../../../projections/config/names.js'
import { readPermissionOf, type EntryPermission } from '../../../projections/config/entry-permissions.js'
import { parseBounded } from '../../wire/bodies/json-parsing.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES, type RequestTenancy } from '../../wire/tenancy.js'
import { messageOf, rethrowAs } from '../../../events/errors.js'

const invalidEntry = invalidWith('config.invalid', 'Bad request: ')

const UNSIGNED = /^\d{1,20}$/
const MAX_UINT64 = 2n ** 64n - 1n

/** Converts errors in an entry. @throws Refusal `invalid` with the error's text */
export const withRefusal = <T>(prefix: string, run: () => T): T =>
  rethrowAs(run, ConfigError, message => invalid('config.invalid', prefix + message))

const FAILED = 'Bad request: Decoding failed: '

/** Returns the JSON value of a body. @throws Refusal `invalid` */
export const jsonBodyOf = ({ body: bytes }: RequestContext): unknown => {
  if (!bytes || bytes.length === 0) throw invalid('config.invalid', `${FAILED}EOF: the body is empty`)
  try {
    return parseBounded(bytes.toString())
  } catch (error) {
    throw invalid('config.invalid', FAILED + messageOf(error))
  }
}

/** Returns whether the letter case of field names matters (decisions.md 3). */
export const spellingOf = ({ settings }: RequestContext): Spelling => (settings.compat ? 'any' : 'exact')

/** Decodes the entry of a body. @throws Refusal `invalid` */
export const entryIn = (request: RequestContext): DecodedEntry => {
  const body = jsonBodyOf(request)
  return withRefusal(FAILED, () => decodeEntry(body, spellingOf(request)))
}

/** Returns the check-and-set index of a request; undefined without one. @throws Refusal `invalid` */
export const casOf = ({ query }: RequestContext): number | undefined => {
  const given = query.filled('cas')
  if (given === undefined) return undefined
  if (!UNSIGNED.test(given) || BigInt(given) > MAX_UINT64)
    throw invalidEntry(`Invalid cas: "${given}" is not an unsigned integer of 64 bits`)
  return Number(given)
}

/** Returns the kind in the path. @throws Refusal `invalid` for an unknown one */
export const kindIn = (request: RequestContext): ConfigKind =>
  withRefusal('Bad request: ', () => kindOf(request.param('kind')))

/** Returns the name at the end of the path, which may contain slashes. @throws Refusal `missing` without one */
export const nameIn = (request: RequestContext): string => {
  const name = request.param('name')
  if (name === '') throw new Refusal('config.not-found', 'Not found: the path names no configuration entry')
  return name
}

/**
 * Returns the tenancy of an entry of a kind in a request's tenancy.
 * @throws Refusal `invalid` if the kind does not exist in the namespace
 */
export const entryTenancy = (given: RequestTenancy, kind: ConfigKind): Tenancy => {
  const { partition, namespace, isNamespaceGiven } = given
  if (namespace === ALL_NAMESPACES && kind !== 'service-intentions')
    throw invalidEntry(`Invalid namespace "*": a wildcard is not allowed for ${kind}`)
  const home = tenancyOfKind(kind, { partition, namespace })
  if (isNamespaceGiven && home.namespace !== namespace)
    throw invalidEntry(`Invalid namespace "${namespace}": ${kind} exists only in the namespace "default"`)
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
export const requireEntryPermissions = (
  request: RequestContext,
  permissions: readonly EntryPermission[]
): void => {
  for (const { resource, access, segment, tenancy } of permissions)
    request.require(resource, access, segment, tenancy)
}

/** Returns the key of an entry in its events. */
export const entryKeyOf = (kind: ConfigKind, name: string, tenancy: Tenancy): ResourceKey => {
  const { partition, namespace } = tenancyOfKind(kind, tenancy)
  return { topic: CONFIG_ENTRY_TOPIC, partition, namespace, key: `${kind}/${name.toLowerCase()}` }
}
