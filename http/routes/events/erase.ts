// Erases superseded and ended versions from the log (docs/reference/erasure.md, log-files.md §5).
import * as Type from 'typebox'
import { lifecycles } from '../../../actors/aggregates.js'
import type { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { partsToEraseBy } from '../../../actors/erasure/parts-to-erase.js'
import { refuseHeld } from '../../../actors/erasure/held-commits.js'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { isUuid } from '../../../actors/uuid.js'
import { expirationEvents, retentionEvents } from '../../../events/retention.js'
import { ERASURE_TOPIC, isOriginErasure, type Erasure, type PayloadErasure } from '../../../events/erasure.js'
import { LEGAL_HOLD_TOPIC } from '../../../events/legal-hold.js'
import type { LogReader } from '../../../events/log/log.js'
import { SNAPSHOT_TOPIC } from '../../../events/snapshot.js'
import { erasureBody, erasureEntry, erasureOrdered, erasureDryRun } from '../../schemas/erasure.js'
import { flag } from '../../stream/parameter-values.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { ANY_NAMESPACE } from '../../../projections/acl/authorizer.js'
import { present } from '../../wire/query.js'
import { isReason } from '../../wire/reason.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { readable } from '../../wire/reads/filter.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { hasNamespace, canSeeErasure, requireErasure } from './erase-permissions.js'
import { setImmediate } from 'node:timers/promises'
import { KV_TOPIC } from '../../../events/kv.js'
import type { Fact } from '../../../projections/projection.js'
import { factsOfTopic } from '../../../projections/stream/snapshot.js'
import type { Views } from '../../../projections/read-models.js'

const ROWS_PER_TURN = 1024

/** Returns the key of a matching present resource, or undefined. Costs the entries below the prefix in the KV store, otherwise all of the topic. */
async function findActiveData(views: Views, erasure: PayloadErasure): Promise<string | undefined> {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  let checked = 0
  for (const fact of factsFor(views, erasure)) {
    if (
      (fact.Namespace === Namespace || fact.Namespace === '') &&
      (fact.Partition ?? 'default') === Partition &&
      (Key === undefined ? fact.Key.startsWith(Prefix) : fact.Key === Key)
    )
      return fact.Key
    if (++checked % ROWS_PER_TURN === 0) await setImmediate()
  }
  return undefined
}

function factsFor(
  views: Views,
  { Topic, Namespace, Partition, Key, Prefix }: PayloadErasure
): Iterable<Fact> {
  if (Topic !== KV_TOPIC) return factsOfTopic(views, Topic)
  const tenancy = { partition: Partition, namespace: Namespace }
  if (Key === undefined) return views.kv.current(tenancy, Prefix)
  const one = views.kv.factAt(tenancy, Key)
  return one ? [one] : []
}

const ERASURES_PATH = '/v1/event/erasures'
const facts = { tag: 'Events', refusesUnknown: true } as const

type Body = Type.Static<typeof erasureBody>

/** Users cannot delete the log's own records. */
const isErasable = (topic: string): boolean =>
  lifecycles.of(topic) !== undefined &&
  ![ERASURE_TOPIC, LEGAL_HOLD_TOPIC, retentionEvents.topic, SNAPSHOT_TOPIC, expirationEvents.topic].includes(
    topic
  )

const originErasureOf = ({ Accessor, ...others }: Body, UpTo: number): Erasure => {
  const stray = (['Topic', 'Key', 'Prefix', 'Scope', 'Namespace', 'Partition'] as const).find(
    field => others[field] !== undefined
  )
  if (stray)
    throw invalid(
      'erasure.invalid',
      `Invalid ${stray}: Part "who" is erased of all that an accessor did, and takes no ${stray}`
    )
  if (Accessor === undefined)
    throw invalid('erasure.invalid', 'Missing Accessor: Part "who" needs the AccessorID of whom')
  if (!isUuid(Accessor))
    throw invalid('erasure.invalid', 'Invalid Accessor: it must be the AccessorID of a token, a UUID')
  return { Part: 'who', Accessor: Accessor.toLowerCase(), UpTo }
}

/** @throws Refusal `invalid`, naming field and rule */
const erasureIn = (request: RequestContext, body: Body, UpTo: number): Erasure => {
  const { Topic, Key, Prefix, Scope, Part, Accessor, Reason } = body
  if (Reason === undefined) throw invalid('erasure.invalid', 'Missing Reason: an erasure says why')
  if (!isReason(Reason))
    throw invalid('erasure.invalid', 'Invalid Reason: it must be 1 to 512 printable characters')
  if (Part !== undefined) return originErasureOf(body, UpTo)
  if (Accessor !== undefined) throw invalid('erasure.invalid', 'Invalid Accessor: only Part "who" takes it')
  if (Topic === undefined)
    throw invalid('erasure.invalid', 'Missing Topic: an erasure needs Topic and Key or Prefix, or Part "who"')
  if (!isErasable(Topic))
    throw invalid(
      'erasure.invalid',
      `Invalid Topic: there is no topic "${Topic}" of which something can be erased`
    )
  if (Key !== undefined && Prefix !== undefined)
    throw invalid('erasure.invalid', 'Invalid Prefix: give Key or Prefix, not both')
  if (Key === undefined && Prefix === undefined)
    throw invalid('erasure.invalid', 'Missing Key: give Key, or Prefix for all keys that begin so')
  const { namespace: Namespace, partition: Partition } = request.tenancy
  return {
    Topic,
    Namespace: hasNamespace(Topic) ? Namespace : '',
    Partition,
    ...(Key === undefined ? { Prefix: Prefix ?? '' } : { Key }),
    ...(Scope === undefined ? {} : { Scope }),
    UpTo
  }
}

/** @throws Refusal `conflict` */
const refuseActiveData = async ({ views }: RequestContext, erasure: Erasure): Promise<void> => {
  if (isOriginErasure(erasure) || erasure.Scope === 'history') return
  const key = await findActiveData(views, erasure)
  if (key === undefined) return
  throw new Refusal(
    'erasure.conflict',
    `${erasure.Topic} "${key}" is still there: delete it first, or erase what was superseded with Scope "history"`
  )
}

const countParts = async (
  log: LogReader,
  erasure: Erasure
): Promise<{ readonly Commits: number; readonly Versions: number }> => {
  let Commits = 0
  let Versions = 0
  for await (const { events } of partsToEraseBy(log, erasure, lifecycles)) {
    Commits++
    Versions += events?.length ?? 0
  }
  return { Commits, Versions }
}

interface ErasureOrder {
  readonly erasure: Erasure
  readonly checkedHolds: number
  readonly reason: string
}

const orderErasure = (
  request: RequestContext,
  { erasure, checkedHolds, reason }: ErasureOrder
): RouteResponse => {
  const command = request.command('EraseHistory', { erasure, checkedHolds })
  const Index = request.views.index + 1
  return request.write(inCluster(ERASURE_TOPIC), { ...command, caller: { ...command.caller, reason } }, () =>
    json({ Index, UpTo: erasure.UpTo, State: 'pending', See: ERASURES_PATH })
  )
}

export const eraseRoutes = (log: LogReader, work: ErasureProcess): readonly Route[] => [
  bodyRoute({
    ...facts,
    method: 'POST',
    path: '/v1/event/erase',
    operationId: 'eraseHistory',
    summary: 'Erase superseded and ended versions, or the caller of commits, from all log files; hashes stay',
    access: requires(
      'acl:write',
      'in the namespace, and the write permission of the topic; operator:write for authors and for resources without a namespace'
    ),
    query: { 'dry-run': present('Count the versions without erasing them') },
    body: { schema: erasureBody, name: 'Erasure', failure: 'Error parsing erasure' },
    response: Type.Union([erasureOrdered, erasureDryRun]),
    outcomes: {
      404: { description: 'There is no such version' },
      409: { description: 'One of the resources still exists, or a legal hold covers one of the versions' }
    },
    handle: async (request, body) => {
      const isDryRun = flag(request.query, 'dry-run')
      if (isDryRun) request.usage.end()
      request.require('acl', 'write')
      const erasure = erasureIn(request, body, log.durableIndex)
      await requireErasure(request, erasure, log)
      await refuseActiveData(request, erasure)
      const { legalHolds } = request.views
      const checkedHolds = legalHolds.index
      await refuseHeld(erasure, { log, holds: legalHolds, lifecycles })
      if (isDryRun) return json({ DryRun: true, UpTo: erasure.UpTo, ...(await countParts(log, erasure)) })
      // Finding the versions of one key is fast. Other erasures search in the background.
      if ('Key' in erasure && (await countParts(log, erasure)).Commits === 0)
        throw new Refusal(
          'erasure.not-found',
          `${erasure.Topic} "${erasure.Key}" has no version in the log that was superseded or ended`
        )
      // The token may have been deleted during the log reads.
      request.forgetAuthority()
      request.require('acl', 'write')
      await requireErasure(request, erasure, log)
      return orderErasure(request, { erasure, checkedHolds, reason: body.Reason ?? '' })
    }
  }),
  route({
    ...facts,
    tenancy: 'partition',
    method: 'GET',
    path: ERASURES_PATH,
    process: 'main',
    operationId: 'listErasures',
    summary: 'List the ordered erasures and their progress on this server',
    access: requires('acl:write', 'in any namespace; erasures of other namespaces are left out'),
    blocking: true,
    consistency: 'consistent',
    response: Type.Array(erasureEntry),
    handle: request =>
      respondToRead(request, () => {
        request.require('acl', 'write', '', { ...request.tenancy, namespace: ANY_NAMESPACE })
        const { entries, headers } = readable(request, request.views.erasures.list, ({ erasure }) =>
          canSeeErasure(request, erasure)
        )
        const erasures = entries.map(({ key, index: Index, erasure }) => {
          const { state: State, parts: Parts } = work.stateOf(key)
          return { Index, State, Parts, ...erasure }
        })
        const index = entries.at(-1)?.index ?? 0
        return { index, watch: ['erasures'], answer: json(erasures, headers) }
      })
  })
]
