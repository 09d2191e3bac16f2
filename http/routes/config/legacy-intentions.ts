// Intentions by ID, as clients older than service-intentions entries write them: a view over the same entries.
import * as Type from 'typebox'
import { intentionsRef } from '../../../actors/config-entry/config-entry.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { isUuid } from '../../../actors/uuid.js'
import {
  destinationOf,
  intentionById,
  sourceOf,
  type Intention,
  type Party
} from '../../../projections/config/intentions.js'
import { deletePermissionOf, readPermissionOf } from '../../../projections/config/entry-permissions.js'
import { json, plain } from '../../wire/response.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { entryKeyOf, requireEntryPermission } from './entry-request.js'
import { intentionsHistory, shownIntention } from './intention-request.js'
import { legacyIntentionIn } from './legacy-intention.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, PRIMARY_WRITE, type Route } from '../../wire/route.js'
import { intention, intentionId, legacyIntentionBody } from '../../schemas/intentions.js'

const facts = { tag: 'Intentions', tenancy: 'one' } as const
const write = { ...facts, ...PRIMARY_WRITE } as const
const WRITE = anyToken('intention:write on the destination, once the ID is known')
const body = { schema: legacyIntentionBody, name: 'Intention' }

/** @throws Refusal `invalid` */
const idOf = (request: RequestContext): string => {
  const id = request.param('id').toLowerCase()
  if (!isUuid(id)) throw invalid(`Bad request: intention ID "${id}" is not a valid UUID`)
  return id
}

/** @throws Refusal `denied` */
const requireRead = (request: RequestContext, found: Intention): void => {
  const right = ({ name, tenancy }: Party) => readPermissionOf('service-intentions', name, tenancy)
  const ofSource = right(sourceOf(found))
  if (ofSource && request.may(ofSource.resource, ofSource.access, ofSource.segment, ofSource.tenancy)) return
  requireEntryPermission(request, right(destinationOf(found)))
}

/** Whether the caller may read an entry of intentions. */
const isReadable = (request: RequestContext, { name, tenancy }: Party): boolean => {
  const right = readPermissionOf('service-intentions', name, tenancy)
  return !right || request.may(right.resource, right.access, right.segment, right.tenancy)
}

/** @throws Refusal `denied` */
const requireWrite = (request: RequestContext, { name, tenancy }: Party): void =>
  requireEntryPermission(request, deletePermissionOf('service-intentions', name, tenancy))

/** The destination of an intention that is to be changed. @throws Refusal `missing`, `denied` */
const changeable = (request: RequestContext, id: string, verb: 'modify' | 'delete'): Party => {
  request.requireToken()
  const stored = intentionById(request.views.config, id)
  if (!stored) throw new Refusal('missing', `Cannot ${verb} non-existent intention: '${id}'`)
  const destination = destinationOf(stored.found)
  requireWrite(request, destination)
  return destination
}

const isSame = (a: Party, b: Party): boolean =>
  a.name === b.name &&
  a.tenancy.partition === b.tenancy.partition &&
  a.tenancy.namespace === b.tenancy.namespace

export const legacyIntentionRoutes: readonly Route[] = [
  {
    ...write,
    method: 'POST',
    path: '/v1/connect/intentions',
    access: requires('intention:write', 'on the destination'),
    operationId: 'createIntention',
    summary: 'Make an intention with an ID',
    body,
    response: intentionId,
    handle: request => {
      const given = legacyIntentionIn(request)
      const { destination } = given
      requireWrite(request, destination)
      if (given.id !== '')
        throw invalid('Bad request: Invalid intention: ID must be empty when creating a new intention')
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
        if (row && isReadable(request, row)) return entryKeyOf(row.entry.Kind, row.name, row.tenancy)
        // The same for a missing intention as for one whose destination the caller must not learn.
        if (!request.authority.authorizer.mayAll('intention', 'read', request.tenancy))
          throw request.denied({ permission: 'intention:read', on: null, tenancy: request.tenancy })
        throw new Refusal('missing', `Nothing is known of intention ${id}`)
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
        if (!stored)
          return {
            index: config.index,
            watch: ['config/service-intentions'],
            answer: plain(404, 'Intention not found'),
            isComparedByBody: true
          }
        requireRead(request, stored.found)
        return {
          index: config.indexOf(stored.row.tenancy),
          watch: ['config/service-intentions'],
          answer: json(shownIntention(stored.found)),
          isComparedByBody: true
        }
      })
    }
  }),
  {
    ...write,
    method: 'PUT',
    path: '/v1/connect/intentions/:id',
    access: WRITE,
    operationId: 'updateIntention',
    summary: 'Replace an intention by its ID',
    body,
    response: intentionId,
    handle: request => {
      const id = idOf(request)
      const given = legacyIntentionIn(request)
      if (given.id !== '' && given.id.toLowerCase() !== id)
        throw invalid('Bad request: Intention ID in URL and payload do not match')
      const stored = changeable(request, id, 'modify')
      if (!isSame(stored, given.destination))
        throw invalid(
          'Bad request: Cannot modify Destination partition/namespace/name for an intention once it exists'
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
    access: WRITE,
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
