// Intentions by ID, as clients older than service-intentions entries write them: a view over the same entries.
import { invalidWith, invalid, Refusal } from '../../../actors/refusal.js'
import type { ServiceIntentions } from '../../../events/config/access.js'
import { formatTime } from '../../../events/time.js'
import { mapOf, text } from '../../../events/config/fields/scalars.js'
import { storedIfFilled, storedAsGiven, object } from '../../../events/config/fields/object.js'
import { type Party, destinationOf, intentionById } from '../../../projections/config/intentions.js'
import { checkMeta } from '../../../projections/config/kinds/kind.js'
import { jsonBodyOf, withRefusal, spellingOf, entryKeyOf } from './entry-request.js'
import {
  checkedParty,
  entryWith,
  ignoredFields,
  partyFields,
  raw,
  intentionsHistory,
  mayReadIntention,
  mayReadParty,
  requireDestinationWrite,
  requirePartyRead,
  shownIntention
} from './intention-request.js'
import type { RequestContext } from '../../wire/request-context.js'
import { refusedWith, json } from '../../wire/response.js'
import * as Type from 'typebox'
import { intentionsRef } from '../../../actors/config-entry/config-entry.js'
import { isUuid } from '../../../actors/uuid.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { anyToken, requires, route, PRIMARY_WRITE, type Route } from '../../wire/route.js'
import { intention, intentionId, legacyIntentionBody } from '../../schemas/intentions.js'

const invalidIntention = invalidWith('intention.invalid', 'Bad request: ')

// The body of an intention with an ID, as clients older than service-intentions entries send it.

const body = object({
  ...ignoredFields,
  ID: storedIfFilled(text),
  ...partyFields,
  SourceType: storedIfFilled(text),
  Action: storedAsGiven(raw),
  Description: storedAsGiven(raw),
  Meta: storedIfFilled(mapOf(text, '')),
  Permissions: storedAsGiven(raw)
})

interface LegacyIntention {
  /** Empty without an ID. */
  readonly id: string
  readonly destination: Party
  /**
   * Returns the entry of the destination with this source and ID, written at a time in epoch ms.
   * @throws Refusal `invalid`, naming field and rule
   */
  readonly entry: (id: string, at: number) => ServiceIntentions
}

const NO_INTENTION = 'Bad request: Invalid intention: '

/** @throws Refusal `invalid`, naming field and rule */
const legacyIntentionIn = (request: RequestContext): LegacyIntention => {
  const sent = jsonBodyOf(request)
  const given = withRefusal('Request decode failed: ', () => body(sent, '', spellingOf(request)))
  const { ID = '', SourceName = '', DestinationName = '', SourceType, Action, Description, Meta } = given
  if (SourceName === '') throw invalid('intention.invalid', `${NO_INTENTION}SourceName must be set`)
  if (DestinationName === '') throw invalid('intention.invalid', `${NO_INTENTION}DestinationName must be set`)
  if (Array.isArray(given.Permissions) && given.Permissions.length > 0)
    throw invalid(
      'intention.invalid',
      `${NO_INTENTION}Permissions must not be set when using the legacy APIs`
    )
  const source = checkedParty(request, 'SourceName', {
    name: SourceName,
    namespace: given.SourceNS,
    partition: given.SourcePartition
  })
  const destination = checkedParty(request, 'DestinationName', {
    name: DestinationName,
    namespace: given.DestinationNS,
    partition: given.DestinationPartition
  })
  return {
    id: ID,
    destination,
    entry: (id, at) =>
      withRefusal(NO_INTENTION, () => {
        checkMeta(Meta)
        const fields = { Type: SourceType, Action, Permissions: undefined, Description }
        const { Sources, ...entry } = entryWith(source, destination, fields)
        const time = formatTime(at)
        const legacy = {
          LegacyID: id,
          ...(Meta ? { LegacyMeta: Meta } : {}),
          LegacyCreateTime: time,
          LegacyUpdateTime: time
        }
        return { ...entry, Sources: Sources.map(one => ({ ...one, ...legacy })) }
      })
  }
}

const facts = { tag: 'Intentions', tenancy: 'one' } as const
const write = {
  ...facts,
  ...PRIMARY_WRITE,
  access: anyToken('intention:write on the destination, once the ID is known')
} as const
const content = { body: { schema: legacyIntentionBody, name: 'Intention' }, response: intentionId } as const

/** @throws Refusal `invalid` */
const idOf = (request: RequestContext): string => {
  const id = request.param('id').toLowerCase()
  if (!isUuid(id)) throw invalidIntention(`intention ID "${id}" is not a valid UUID`)
  return id
}

/** Returns the destination of an intention to change. @throws Refusal `missing`, `denied` */
const changeable = (request: RequestContext, id: string, verb: 'modify' | 'delete'): Party => {
  request.requireToken()
  const stored = intentionById(request.views.config, id)
  if (!stored) throw new Refusal('intention.not-found', `Cannot ${verb} non-existent intention: '${id}'`)
  const destination = destinationOf(stored.found)
  requireDestinationWrite(request, destination)
  return destination
}

const isSame = (a: Party, b: Party): boolean =>
  a.name === b.name &&
  a.tenancy.partition === b.tenancy.partition &&
  a.tenancy.namespace === b.tenancy.namespace

export const legacyIntentionRoutes: readonly Route[] = [
  {
    ...write,
    ...content,
    method: 'POST',
    path: '/v1/connect/intentions',
    access: requires('intention:write', 'on the destination'),
    operationId: 'createIntention',
    summary: 'Make an intention with an ID',
    handle: request => {
      const given = legacyIntentionIn(request)
      const { destination } = given
      requireDestinationWrite(request, destination)
      if (given.id !== '')
        throw invalidIntention('Invalid intention: ID must be empty when creating a new intention')
      const id = request.newId()
      const tenancy = { ...request.tenancy, ...destination.tenancy }
      const command = request.command('CreateIntention', { written: given.entry(id, request.now) }, tenancy)
      return request.write(intentionsRef(tenancy, destination.name), command, () => json({ ID: id }))
    }
  },
  route({
    ...facts,
    blocking: true,
    consistency: 'all',
    method: 'GET',
    path: '/v1/connect/intentions/:id',
    access: anyToken('intention:read on source or destination, once the ID is known'),
    operationId: 'readIntention',
    summary: 'Read an intention by its ID',
    past: {
      resource: request => {
        const id = idOf(request)
        const row = intentionById(request.views.config, id)?.row
        if (row && mayReadParty(request, row)) return entryKeyOf(row.entry.Kind, row.name, row.tenancy)
        // The same for a missing intention as for one whose destination the caller must not learn.
        if (!request.usage.credited.mayAll('intention', 'read', request.tenancy))
          throw request.denied({ permission: 'intention:read', on: null, tenancy: request.tenancy })
        throw new Refusal('intention.not-found', `There is no intention ${id}`)
      },
      ...intentionsHistory
    },
    response: intention,
    handle: request => {
      const id = idOf(request)
      return respondToRead(request, () => {
        request.requireToken()
        const { config } = request.views
        const stored = intentionById(config, id)
        const common = { watch: ['config/service-intentions'], isComparedByBody: true } as const
        if (!stored)
          return {
            ...common,
            index: config.index,
            answer: refusedWith('intention.not-found', 'Intention not found')
          }
        if (!mayReadIntention(request, stored.found)) requirePartyRead(request, destinationOf(stored.found))
        const index = config.indexOf(stored.row.tenancy)
        return { ...common, index, answer: json(shownIntention(stored.found)) }
      })
    }
  }),
  {
    ...write,
    ...content,
    method: 'PUT',
    path: '/v1/connect/intentions/:id',
    operationId: 'updateIntention',
    summary: 'Replace an intention by its ID',
    handle: request => {
      const id = idOf(request)
      const given = legacyIntentionIn(request)
      if (given.id !== '' && given.id.toLowerCase() !== id)
        throw invalidIntention('Intention ID in URL and payload do not match')
      const stored = changeable(request, id, 'modify')
      if (!isSame(stored, given.destination))
        throw invalidIntention(
          'Cannot modify Destination partition/namespace/name for an intention once it exists'
        )
      const tenancy = { ...request.tenancy, ...stored.tenancy }
      const command = request.command('UpdateIntention', { written: given.entry(id, request.now) }, tenancy)
      return request.write(intentionsRef(tenancy, stored.name), command, () => json({ ID: id }))
    }
  },
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/connect/intentions/:id',
    operationId: 'deleteIntention',
    summary: 'Delete an intention by its ID',
    response: Type.Boolean(),
    handle: request => {
      const id = idOf(request)
      const { name: destination, tenancy: place } = changeable(request, id, 'delete')
      const tenancy = { ...request.tenancy, ...place }
      const command = request.command('DeleteIntentionById', { destination, id }, tenancy)
      return request.write(intentionsRef(tenancy, destination), command, () => json(true))
    }
  })
]
