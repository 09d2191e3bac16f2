// Counts of the commits that an audit selects, by accessor, topic, namespace and type.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { invalid } from '../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import type { Authorizer } from '../../projections/acl/authorizer.js'
import { FilterTooExpensive } from '../../projections/stream/event-filter.js'
import { countReadableRules } from '../../projections/stream/readable-rules.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { AccessUsage } from '../wire/access-usage.js'
import type { RequestContext } from '../wire/request-context.js'
import { auditOf, AUDIT_RANGE, AUDIT_SELECTION } from './audit-parsing.js'
import { Facet, facetValues } from './facet.js'
import { CATCH_UP, type CatchUpSource, type Reading } from './catch-up/source.js'
import { firstValueOf } from './parameter-values.js'
import { placementOf } from './subscription-requests.js'
import { json } from '../wire/response.js'
import { anyToken, route, type Route } from '../wire/route.js'
import * as Type from 'typebox'
import { sample, view } from '../schemas/view.js'

/** Numbers of commits of an audit. */
const auditFacets = view('AuditFacets', {
  From: sample.integer(1, 'The first commit that was looked at'),
  To: sample.integer(57, 'The last commit that was looked at'),
  IsComplete: sample.of(
    true,
    Type.Boolean({
      description: 'False if the range has more commits than are counted: its first ones are not'
    })
  ),
  Commits: sample.integer(12, 'Commits with an event that the caller may read'),
  Accessors: sample.of(
    [{ Value: '6a1253d2-1785-24fd-91c2-f8e78c745511', Count: 12 }],
    Type.Optional(facetValues('AccessorIDs; empty for the server itself and for erased origins'))
  ),
  Topics: sample.of([{ Value: 'KV', Count: 12 }], facetValues('Topics of the events')),
  Namespaces: sample.of([{ Value: 'default', Count: 12 }], facetValues('Namespaces of the events')),
  Types: sample.of(
    [
      { Value: 'KVSet', Count: 11 },
      { Value: 'KVDelete', Count: 1 }
    ],
    facetValues('Types of the events')
  )
})

/** The newest commits of a range that are counted at most. */
const MAX_COUNTED = 50_000

interface AuditedCommit {
  readonly By: { readonly AccessorID: string }
  readonly Events: readonly { readonly Topic: string; readonly Type: string; readonly Namespace: string }[]
}

const facetsOf = (): Record<'accessors' | 'topics' | 'namespaces' | 'types', Facet<AuditedCommit>> => ({
  accessors: new Facet(({ By }) => [By.AccessorID]),
  topics: new Facet(({ Events }) => Events.map(({ Topic }) => Topic)),
  namespaces: new Facet(({ Events }) => Events.map(({ Namespace }) => Namespace).filter(Boolean)),
  types: new Facet(({ Events }) => Events.map(event => event.Type))
})

interface CountedRange {
  readonly from: number
  readonly to: number
}

/** Yields the audited commits of a range that the authorizer permits. @throws Refusal FilterTooExpensive */
async function* commitsOf(
  reading: Reading,
  { from, to }: CountedRange,
  authorizer: Authorizer
): AsyncGenerator<AuditedCommit> {
  for (let next = from; next <= to;)
    try {
      const piece = await reading.next({ from: next, to, authorizer })
      for (const line of piece.bytes?.toString().split('\n') ?? []) if (line !== '') yield JSON.parse(line)
      next = piece.next
    } catch (error) {
      if (error instanceof FilterTooExpensive) throw invalid('read.filter-invalid', error.message)
      if (!(error instanceof CommitsPruned)) throw error
      next = error.oldest
    }
}

@scoped(Lifecycle.ContainerScoped)
export class AuditFacets {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    @inject(CATCH_UP) private readonly catchUp: CatchUpSource,
    private readonly usage: AccessUsage
  ) {}

  /** Counts the commits of an audit that have a readable event. Counts by accessor require operator:read. @throws Refusal */
  async count(request: RequestContext) {
    request.requireToken()
    const { subscription, range } = auditOf(request)
    const { authority } = request
    const { authorizer } = authority
    const seesCallers = request.may('operator', 'read', '', DEFAULT_TENANCY)
    if (['accessor', 'address'].some(name => firstValueOf(request.query, name) !== undefined))
      request.require('operator', 'read')
    countReadableRules(authorizer, subscription, this.usage.countFor(authority))
    const placed = await placementOf(range, this.log, { backlog: 0, now: request.now })
    const to = Math.min(placed.end?.index ?? Infinity, this.log.durableIndex)
    const from = Math.max(placed.start, to - MAX_COUNTED + 1)
    const { accessors, ...others } = facetsOf()
    const reading = this.catchUp.open(subscription)
    let commits = 0
    try {
      for await (const commit of commitsOf(reading, { from, to }, authorizer)) {
        commits++
        accessors.add(commit)
        for (const facet of Object.values(others)) facet.add(commit)
      }
    } finally {
      reading.close()
    }
    return {
      From: from,
      To: to,
      IsComplete: from === placed.start,
      Commits: commits,
      ...(seesCallers && { Accessors: accessors.values }),
      Topics: others.topics.values,
      Namespaces: others.namespaces.values,
      Types: others.types.values
    }
  }
}

// Counts of audited commits by accessor, topic, namespace and type.

export const auditFacetRoutes = (facets: AuditFacets): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/audit/facets',
    process: 'main',
    operationId: 'countAuditFacets',
    summary: `Count the newest ${MAX_COUNTED} commits of a range by accessor, topic, namespace and type`,
    access: anyToken(
      'commits without a readable event are left out; accessor, address and Accessors require operator:read'
    ),
    tenancy: 'none',
    refusesUnknown: true,
    query: { ...AUDIT_SELECTION, ...AUDIT_RANGE },
    response: auditFacets,
    handle: async request => json(await facets.count(request))
  })
]
