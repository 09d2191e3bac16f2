// Proofs about the log: that a commit is in it, that it only grew, and what a commit says.
import { invalid, Refusal } from '../../../actors/refusal.js'
import { discloseLeaf } from '../../../events/log/evidence/leaf.js'
import { CommitsPruned } from '../../../events/log/log.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import type { LogEvidence } from '../../wire/log-evidence.js'
import { consistencyProof, inclusionProof, leaf } from '../../schemas/evidence.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { unsigned64 } from '../../wire/query.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, noToken, route, type Route } from '../../wire/route.js'
import { reach, requiredCount, sizeIn } from './tree-sizes.js'

const facts = {
  process: 'main',
  method: 'GET',
  tag: 'Events',
  tenancy: 'none',
  refusesUnknown: true
} as const

const NEWEST = 'that of the newest checkpoint unless given'

const base64 = (hashes: readonly Buffer[]): readonly string[] => hashes.map(hash => hash.toString('base64'))

type Proved = Awaited<ReturnType<ProvableLog['provedRecord']>>

/** The record of a commit, proved; undefined when it was let go. */
const recordOf = async (log: ProvableLog, index: number): Promise<Proved | undefined> => {
  try {
    return await log.provedRecord(index)
  } catch (error) {
    if (error instanceof CommitsPruned) return undefined
    throw error
  }
}

const inclusion = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  const open = evidence.required
  const Index = requiredCount(request, 'index', 'which commit is to be proved')
  const TreeSize = await sizeIn(request, open, 'size')
  if (Index > TreeSize)
    throw invalid(`Invalid index: commit ${Index} is not in the tree of the first ${TreeSize} commits`)
  const { tree } = open.tree
  // What is proved is what the log has.
  await recordOf(open.log, Index)
  const LeafHash = (await tree.leafHash(Index - 1)).toString('base64')
  return json({ Index, TreeSize, LeafHash, Hashes: base64(await tree.inclusion(Index - 1, TreeSize)) })
}

const consistency = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  const open = evidence.required
  const From = requiredCount(request, 'from', 'how many commits the older tree has')
  const To = await sizeIn(request, open, 'to')
  if (From > To) throw invalid(`Invalid from: the older tree has ${From} commits, and the newer one ${To}`)
  return json({ From, To, Hashes: base64(await open.tree.tree.consistency(From, To)) })
}

const opened = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  request.requireToken()
  const open = evidence.required
  const index = requiredCount(request, 'index', 'which commit is asked for')
  await reach(open, index, 'index')
  const record = await recordOf(open.log, index)
  if (!record)
    throw new Refusal(
      'gone',
      `Commit ${index} is no longer kept: the oldest is ${open.log.firstIndex}. Its hash still is`
    )
  const events = record.events()
  // A leaf shows texts as they are hashed: an event that the caller sees in part is withheld (decisions.md 55).
  const { authorizer } = request.authority
  const isSeen = events.map(event => visibleEvent(authorizer, event, 'resource') === event)
  const partitions = new Set(['default', ...events.map(({ Partition }) => Partition)])
  const isWhoSeen = [...partitions].every(partition =>
    request.may('operator', 'read', '', { partition, namespace: 'default' })
  )
  return json(discloseLeaf(record, ({ event }) => (event < 0 ? isWhoSeen : isSeen[event] === true)))
}

export const proofRoutes = (evidence: LogEvidence): readonly Route[] => [
  route({
    ...facts,
    access: noToken,
    path: '/v1/event/proof/inclusion',
    operationId: 'proveInclusion',
    summary: 'Proves that a commit is in the log',
    query: {
      index: unsigned64('Index of the commit'),
      size: unsigned64(`How many commits the tree has: ${NEWEST}`)
    },
    response: inclusionProof,
    handle: request => inclusion(request, evidence)
  }),
  route({
    ...facts,
    access: noToken,
    path: '/v1/event/proof/consistency',
    operationId: 'proveConsistency',
    summary: 'Proves that nothing of an older log was changed or removed',
    query: {
      from: unsigned64('How many commits the older tree has'),
      to: unsigned64(`How many the newer one has: ${NEWEST}`)
    },
    response: consistencyProof,
    handle: request => consistency(request, evidence)
  }),
  route({
    ...facts,
    access: anyToken('parts that the caller may not read are withheld: who asked needs operator:read'),
    path: '/v1/event/leaf',
    operationId: 'readLeaf',
    summary: 'A commit as the tree has it, and those of its parts that the caller may see',
    query: { index: unsigned64('Index of the commit') },
    response: leaf,
    outcomes: { 410: { description: 'The commit was let go' } },
    handle: request => opened(request, evidence)
  })
]
