// Parses requests on intentions: the two parties and the intention (spec: tenancy.md §10).
import { contentHash } from '../../../actors/content.js'
import { invalidWith } from '../../../actors/refusal.js'
import { isTenancyName } from '../../../actors/tenancy.js'
import { CONFIG_ENTRY_TOPIC } from '../../../events/config-entry.js'
import type { ServiceIntentions } from '../../../events/config/access.js'
import { ignoredKey, storedIfFilled, storedAsGiven, object } from '../../../events/config/fields/object.js'
import { sameSchema, decoder } from '../../../events/config/fields/decoder.js'
import { lowerText, text } from '../../../events/config/fields/scalars.js'
import { decodeEntry } from '../../../projections/config/kinds/all.js'
import { deletePermissionsOf, readPermissionOf } from '../../../projections/config/entry-permissions.js'
import {
  destinationOf,
  sourceOf,
  type Intention,
  type Party
} from '../../../projections/config/intentions.js'
import {
  jsonBodyOf,
  mayReadEntry,
  requireEntryPermissions,
  spellingOf,
  withRefusal
} from './entry-request.js'
import type { HistoryDeclaration } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const invalidIntention = invalidWith('intention.invalid', 'Bad request: ')

const NAMESPACE = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?|\*)$/

/** `name`, `namespace/name` or `partition/namespace/name`. @throws Refusal `invalid` */
const partyOf = (request: RequestContext, parameter: string, given: string): Party => {
  const parts = given.split('/')
  const name = parts.pop() ?? ''
  if (parts.length > 2)
    throw invalidIntention(
      `Invalid ${parameter} "${given}": it must be name, namespace/name or partition/namespace/name`
    )
  const [namespace, partition] = [parts.pop(), parts.pop()]
  return checkedParty(request, parameter, { name, namespace, partition })
}

interface GivenParty {
  readonly name: string
  /** Default: the namespace of the request. The partition likewise. */
  readonly namespace: string | undefined
  readonly partition: string | undefined
}

/**
 * Validates a party of a parameter or field.
 * @param field `source` or `destination`, or a field of a body with that prefix
 * @throws Refusal `invalid`
 */
export const checkedParty = (request: RequestContext, field: string, given: GivenParty): Party => {
  const { name } = given
  const { partition: ownPartition, namespace: ownNamespace } = request.tenancy
  const namespace = given.namespace?.toLowerCase() ?? ownNamespace
  const partition = given.partition?.toLowerCase() ?? ownPartition
  const failed = (rule: string) => invalidIntention(`Invalid ${field} "${name}": ${rule}`)
  if (name === '') throw failed('it names no service')
  if (name !== '*' && name.includes('*')) throw failed('"*" stands for a whole name, not for a part')
  if (!NAMESPACE.test(namespace)) throw failed(`"${namespace}" is not the name of a namespace`)
  if (namespace === ALL_NAMESPACES && name !== '*') throw failed('a name in all namespaces must be "*"')
  if (!isTenancyName(partition)) throw failed(`"${partition}" is not the name of a partition`)
  if (field.toLowerCase().startsWith('destination') && partition !== ownPartition)
    throw failed('a destination must be in the partition of the request')
  return { name, tenancy: { partition, namespace } }
}

/** Returns the party in a query parameter. @throws Refusal `invalid` */
export const partyIn = (request: RequestContext, parameter: string): Party => {
  const given = request.query.filled(parameter)
  if (given === undefined) throw invalidIntention(`required query parameter '${parameter}' not set`)
  return partyOf(request, parameter, given)
}

/** Returns all parties in a query parameter by their text. @throws Refusal `invalid` without any */
export const partiesIn = (request: RequestContext, parameter: string): ReadonlyMap<string, Party> => {
  const names = request.query.all(parameter).filter(name => name !== '')
  if (names.length === 0) throw invalidIntention(`required query parameter '${parameter}' not set`)
  return new Map(names.map(name => [name, partyOf(request, parameter, name)]))
}

/** A value that the rules of service-intentions validate later. */
export const raw = decoder(sameSchema({}), given => given)

/** Generated fields, which Go's clients send, mostly as zeros, and callers may send back. */
export const ignoredFields = {
  DefaultAddr: ignoredKey(raw),
  DefaultPort: ignoredKey(raw),
  Precedence: ignoredKey(raw),
  CreatedAt: ignoredKey(raw),
  UpdatedAt: ignoredKey(raw),
  Hash: ignoredKey(raw),
  CreateIndex: ignoredKey(raw),
  ModifyIndex: ignoredKey(raw)
}

export const partyFields = {
  SourcePartition: storedIfFilled(lowerText),
  SourceNS: storedIfFilled(lowerText),
  SourceName: storedIfFilled(text),
  DestinationPartition: storedIfFilled(lowerText),
  DestinationNS: storedIfFilled(lowerText),
  DestinationName: storedIfFilled(text)
}

const body = object({
  ...ignoredFields,
  ID: ignoredKey(raw),
  ...partyFields,
  SourceType: storedAsGiven(raw),
  Action: storedAsGiven(raw),
  Permissions: storedAsGiven(raw),
  Description: storedAsGiven(raw),
  Meta: ignoredKey(raw)
})

/** Returns the namespace and partition of a source where they differ from the destination's. */
const placeOf = ({ tenancy: source }: Party, { tenancy: destination }: Party) => ({
  ...(source.namespace === destination.namespace ? {} : { Namespace: source.namespace }),
  ...(source.partition === destination.partition ? {} : { Partition: source.partition })
})

/** Returns the entry of the destination with the source in the body. @throws Refusal `invalid` */
export const intentionIn = (
  request: RequestContext,
  source: Party,
  destination: Party
): ServiceIntentions => {
  const given = jsonBodyOf(request)
  return withRefusal('Bad request: Invalid intention: ', () => {
    const { SourceType, Action, Permissions, Description, ...names } = body(given, '', spellingOf(request))
    const expected = new Map<string, string>([
      ['SourcePartition', source.tenancy.partition],
      ['SourceNS', source.tenancy.namespace],
      ['SourceName', source.name],
      ['DestinationPartition', destination.tenancy.partition],
      ['DestinationNS', destination.tenancy.namespace],
      ['DestinationName', destination.name]
    ])
    for (const [field, value] of Object.entries(names))
      if (value !== expected.get(field)) throw invalidIntention(`${field} differs from the query parameter`)
    return entryWith(source, destination, { Type: SourceType, Action, Permissions, Description })
  })
}

/** The unvalidated fields of a source other than its name. */
interface GivenSource {
  readonly Type: unknown
  readonly Action: unknown
  readonly Permissions: unknown
  readonly Description: unknown
}

/** Returns the entry of a destination with one source in its tenancy. @throws ConfigError */
export const entryWith = (source: Party, destination: Party, given: GivenSource): ServiceIntentions => {
  const one = { Name: source.name, ...placeOf(source, destination), ...given }
  const entry = { Kind: 'service-intentions', Name: destination.name, Sources: [one] }
  const content = decodeEntry(entry).settle(destination.tenancy)
  if (content.Kind !== 'service-intentions') throw new Error('what was read is of another kind')
  return content
}

export const mayReadParty = (request: RequestContext, { name, tenancy }: Party): boolean =>
  mayReadEntry(request, 'service-intentions', name, tenancy)

/** An intention is readable for callers that may read its source or its destination. */
export const mayReadIntention = (request: RequestContext, found: Intention): boolean =>
  mayReadParty(request, sourceOf(found)) || mayReadParty(request, destinationOf(found))

/** @throws Refusal `denied` */
export const requirePartyRead = (request: RequestContext, { name, tenancy }: Party): void => {
  const permission = readPermissionOf('service-intentions', name, tenancy)
  requireEntryPermissions(request, permission ? [permission] : [])
}

/** @throws Refusal `denied` */
export const requireDestinationWrite = (request: RequestContext, { name, tenancy }: Party): void =>
  requireEntryPermissions(
    request,
    deletePermissionsOf(request.views.config, 'service-intentions', name, tenancy)
  )

/** Returns the view of an intention with a hash of its content. */
export const shownIntention = (intention: Intention): Intention & { readonly Hash: string } => {
  const { CreateIndex, ModifyIndex, ...shown } = intention
  const { CreatedAt: _created, UpdatedAt: _updated, ...content } = shown
  return { ...shown, Hash: contentHash(content), CreateIndex, ModifyIndex }
}

/** Facts of the routes of intentions, and of those that read them. */
export const intentionFacts = { tag: 'Intentions', tenancy: 'one' } as const
export const intentionRead = {
  ...intentionFacts,
  method: 'GET',
  blocking: true,
  consistency: 'all'
} as const

/** The history of intentions, which are in the entries of all destinations. */
export const intentionsHistory: HistoryDeclaration = {
  needs: () => [{ topics: [CONFIG_ENTRY_TOPIC], prefix: 'service-intentions/' }]
}
