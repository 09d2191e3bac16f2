// Intentions: a view over the service-intentions entries, and single intentions written into them.
import { refusedWith, json } from '../../wire/response.js'
import * as Type from 'typebox'
import { intentionsRef } from '../../../actors/config-entry/config-entry.js'
import {
  decidingIntention,
  destinationIndex,
  destinationWatch,
  exactIntention,
  intentionsIn,
  type Intention,
  destinationOf
} from '../../../projections/config/intentions.js'
import { spaceOf } from '../../../projections/row-table.js'
import { map, number, string, type Fields } from '../../../projections/language/filter-syntax.js'
import { respondToRead, type ListState } from '../../wire/reads/blocking.js'
import type { ReadCache } from '../../wire/reads/serialized-lists.js'
import { entryKeyOf } from './entry-request.js'
import { filterOf } from '../../wire/reads/filter.js'
import { readableList } from '../../wire/reads/json-list.js'
import type { EntryRow } from '../../../projections/config/rows.js'
import { readableSteps, unorderedPart } from '../../wire/reads/page.js'
import {
  intentionFacts,
  intentionIn,
  intentionRead,
  intentionsHistory,
  mayReadIntention,
  mayReadParty,
  partyIn,
  requireDestinationWrite,
  requirePartyRead,
  shownIntention
} from './intention-request.js'
import { matchRoute } from './intention-match.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, PRIMARY_WRITE, type Route } from '../../wire/route.js'
import { checked, intention, intentionBody, intentions } from '../../schemas/intentions.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const write = {
  ...intentionFacts,
  ...PRIMARY_WRITE,
  path: '/v1/connect/intentions/exact',
  access: requires('intention:write', 'on the destination'),
  response: Type.Boolean()
} as const
const PARTIES = {
  source: 'The service that connects, or *; with a namespace before a slash',
  destination: 'The service that is connected to, or *; with a namespace before a slash'
}

const FILTER: Fields = {
  ID: string,
  SourceNS: string,
  SourceName: string,
  DestinationNS: string,
  DestinationName: string,
  SourceType: string,
  Action: string,
  Description: string,
  Precedence: number,
  Meta: map(string)
}

/** @throws Refusal `invalid` */
const bothParties = (request: RequestContext) => ({
  source: partyIn(request, 'source'),
  destination: partyIn(request, 'destination')
})

/** Two intentions differ in source or destination. */
const pageKey = (one: Intention): string =>
  [
    one.DestinationNS,
    one.DestinationName,
    one.SourcePartition ?? 'default',
    one.SourceNS,
    one.SourceName
  ].join('\0')

/** The precedence of exact names on both sides. */
const MAX_PRECEDENCE = 9

/** The place in the order of `byPrecedence`. */
const listOrder = (one: Intention): string =>
  [
    MAX_PRECEDENCE - one.Precedence,
    one.SourceNS,
    one.SourceName,
    one.DestinationNS,
    one.DestinationName
  ].join('\0')

const answerList = (request: RequestContext) => {
  const fits = filterOf(request, FILTER)
  return respondToRead(request, (): ListState => {
    const { config } = request.views
    const { tenancy } = request
    const isOfAll = tenancy.namespace === ALL_NAMESPACES
    const rows = isOfAll
      ? config.listAll('service-intentions', tenancy.partition)
      : config.list('service-intentions', tenancy)
    const all = { [Symbol.iterator]: () => intentionsOf(rows) }
    const found = readableSteps(request, {
      sortsBy: listOrder,
      parts: [unorderedPart(all)],
      keyOf: pageKey,
      passes: fits,
      may: one => mayReadIntention(request, one)
    })
    const kind = 'config/service-intentions'
    const { index, watch } = isOfAll
      ? { index: config.indexOfPartition(tenancy.partition), watch: kind }
      : { index: config.indexOf(tenancy), watch: `${kind}/${spaceOf(tenancy)}` }
    const steps = readableList(found, one => JSON.stringify(shownIntention(one)))
    return { index, watch: [watch], steps, isComparedByBody: true }
  })
}

function* intentionsOf(rows: readonly EntryRow[]): Generator<Intention> {
  for (const row of rows) yield* intentionsIn(row)
}

const exactRoute: Route = route({
  ...intentionRead,
  path: '/v1/connect/intentions/exact',
  access: requires('intention:read', 'on source or destination'),
  operationId: 'readExactIntention',
  summary: 'Read an intention by its source and destination',
  past: historyOfResource(request => {
    const { name, tenancy } = partyIn(request, 'destination')
    return entryKeyOf('service-intentions', name, tenancy)
  }),
  query: PARTIES,
  response: intention,
  outcomes: { 404: { description: 'There is no such intention' } },
  handle: request => {
    const { source, destination } = bothParties(request)
    return respondToRead(request, () => {
      const { config } = request.views
      if (!mayReadParty(request, source)) requirePartyRead(request, destination)
      const found = exactIntention(config, source, destination)
      if (found && !mayReadIntention(request, found)) requirePartyRead(request, destinationOf(found))
      const answer = found
        ? json(shownIntention(found))
        : refusedWith('intention.not-found', 'Intention not found')
      const index = destinationIndex(config, destination)
      return { index, watch: destinationWatch(destination), answer, isComparedByBody: true }
    })
  }
})

const checkRoute: Route = route({
  ...intentionRead,
  blocking: false,
  path: '/v1/connect/intentions/check',
  access: requires('service:read', 'on the destination'),
  operationId: 'checkIntention',
  summary: 'Whether a connection is allowed',
  past: intentionsHistory,
  query: PARTIES,
  response: checked,
  handle: request => {
    const { source, destination } = bothParties(request)
    const { config, settings } = request.views
    request.require('service', 'read', destination.name, destination.tenancy)
    const found = decidingIntention(config, source, destination)
    if (found && found.DestinationName !== '*')
      request.require('service', 'read', found.DestinationName, destination.tenancy)
    const byDefault = !settings.aclEnabled || settings.defaultPolicy === 'allow'
    // What permissions allow depends on the request, so the connection as such is not allowed.
    return json({ Allowed: found ? found.Action === 'allow' : byDefault })
  }
})

export const intentionRoutes = (cache: ReadCache): readonly Route[] => [
  route({
    ...intentionRead,
    path: '/v1/connect/intentions',
    tenancy: 'many',
    access: anyToken('intention:read on source or destination; others are left out'),
    operationId: 'listIntentions',
    isPaged: true,
    summary: 'List the intentions',
    past: intentionsHistory,
    query: { filter: 'A filter expression' },
    response: intentions,
    handle: answerList
  }),
  exactRoute,
  {
    ...write,
    method: 'PUT',
    operationId: 'writeExactIntention',
    summary: 'Write one intention into the entry of its destination',
    query: PARTIES,
    body: { schema: intentionBody, name: 'Intention' },
    handle: request => {
      const { source, destination } = bothParties(request)
      const written = intentionIn(request, source, destination)
      requireDestinationWrite(request, destination)
      const tenancy = { ...request.tenancy, ...destination.tenancy }
      const command = request.command('SetIntention', { written }, tenancy)
      return request.write(intentionsRef(command.tenancy, destination.name), command, () => json(true))
    }
  },
  route({
    ...write,
    method: 'DELETE',
    operationId: 'deleteExactIntention',
    summary: 'Delete an intention by its source and destination',
    query: PARTIES,
    handle: request => {
      const { source, destination } = bothParties(request)
      requireDestinationWrite(request, destination)
      const tenancy = { ...request.tenancy, ...destination.tenancy }
      const command = request.command('DeleteIntention', { destination: destination.name, source }, tenancy)
      return request.write(intentionsRef(command.tenancy, destination.name), command, () => json(true))
    }
  }),
  matchRoute(cache),
  checkRoute
]
