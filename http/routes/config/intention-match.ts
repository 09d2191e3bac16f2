// Which intentions bear on a source or destination (spec: config.md §4.6).
import { invalid } from '../../../actors/refusal.js'
import {
  destinationIndex,
  destinationOf,
  destinationRows,
  destinationWatch,
  matchingIntentions,
  sourceIndex,
  sourceOf,
  sourceRows,
  type Intention,
  type Party
} from '../../../projections/config/intentions.js'
import type { EntryRow } from '../../../projections/config/rows.js'
import type { Steps } from '../../../projections/steps.js'
import { matches } from '../../schemas/intentions.js'
import type { ListState } from '../../wire/reads/blocking.js'
import { JsonList, serializedRows } from '../../wire/reads/json-list.js'
import type { ReadCache } from '../../wire/reads/serialized-lists.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import {
  intentionRead,
  intentionsHistory,
  partiesIn,
  requirePartyRead,
  shownIntention
} from './intention-request.js'

/** Names in a question, since each is answered with the intentions of its wildcards too. */
const MOST_NAMES = 64

interface PartyMatch {
  /** The name in the request. */
  readonly name: string
  readonly party: Party
  /** The entries that may have its intentions. */
  readonly rows: readonly EntryRow[]
}

function* matchSteps(
  request: RequestContext,
  by: 'source' | 'destination',
  asked: readonly PartyMatch[]
): Steps<RouteResponse> {
  const storedOf = by === 'source' ? sourceOf : destinationOf
  const textOf = (one: Intention): string => {
    // Intentions are found in any letter case, and rules are exact.
    const stored = storedOf(one)
    if (stored.name !== '*') requirePartyRead(request, stored)
    return JSON.stringify(shownIntention(one))
  }
  const members = new JsonList('object')
  for (const { name, party, rows } of asked) {
    const found = yield* matchingIntentions(rows, by === 'source' ? party : undefined)
    members.pushMember(name, yield* serializedRows(found, textOf))
  }
  return jsonText(members.end())
}

const matchOf = (request: RequestContext, cache: ReadCache) => {
  const by = request.query.get('by')
  if (by !== 'source' && by !== 'destination')
    throw invalid(
      'intention.invalid',
      "Bad request: required query parameter 'by' must be one of 'source' or 'destination'"
    )
  const parties = partiesIn(request, 'name')
  if (parties.size > MOST_NAMES)
    throw invalid(
      'intention.invalid',
      `Bad request: query parameter 'name' is given ${parties.size} times, and may be given ${MOST_NAMES} times`
    )
  const all = [...parties.values()]
  return cache.refreshed(request, ['intentions/match', by, ...parties.keys()], (): ListState => {
    const { config } = request.views
    for (const party of all) requirePartyRead(request, party)
    const [rowsOf, indexOf] =
      by === 'source' ? [sourceRows, sourceIndex] : [destinationRows, destinationIndex]
    const found = Array.from(parties, ([name, party]) => ({ name, party, rows: rowsOf(config, party) }))
    const watch = by === 'source' ? ['config/service-intentions'] : all.flatMap(destinationWatch)
    const index = Math.max(...all.map(party => indexOf(config, party)))
    return { index, watch, steps: matchSteps(request, by, found), isComparedByBody: true }
  })
}

/** @param cache of reads with `cached` */
export const matchRoute = (cache: ReadCache): Route =>
  route({
    ...intentionRead,
    path: '/v1/connect/intentions/match',
    caching: 'background refresh',
    access: requires('intention:read', 'on each name'),
    operationId: 'matchIntentions',
    summary: 'The intentions that bear on a source or destination, the deciding one first',
    past: intentionsHistory,
    query: { by: 'source or destination', name: `The service; may be given up to ${MOST_NAMES} times` },
    response: matches,
    handle: request => matchOf(request, cache)
  })
