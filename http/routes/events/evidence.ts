// Evidence about the log: signed checkpoints, tiles of the tree, proofs, and the content of a commit. Hashes are public.
import { recovery } from '../../../events/errors.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { discloseLeaf } from '../../../events/log/evidence/leaf.js'
import { CommitsPruned } from '../../../events/log/log.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import type { LogEvidence, OpenEvidence } from '../../wire/log-evidence.js'
import { consistencyProof, inclusionProof, leaf } from '../../schemas/evidence.js'
import { json, type RouteResponse, plain } from '../../wire/response.js'
import { unsigned64 } from '../../wire/query.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, noToken, route, type Route } from '../../wire/route.js'
import type { SignedCheckpoint } from '../../../actors/processes/checkpoints.js'
import { integer } from '../../stream/parameter-values.js'

/** Requests wait for at most this number of commits to enter the tree. */
const MAX_AWAITED = 10_000

/** Returns undefined if the parameter is absent. @throws Refusal `invalid` that names the parameter */
const countIn = ({ query }: RequestContext, name: string): number | undefined => {
  const text = query.get(name)
  if (text === undefined) return undefined
  const count = integer(text, name)
  if (count === 0) throw invalid('evidence.invalid', `Invalid ${name}: it counts from 1, and 0 was given`)
  return count
}

/** @throws Refusal `invalid` also if the parameter is absent */
export const requiredCount = (request: RequestContext, name: string, what: string): number => {
  const count = countIn(request, name)
  if (count === undefined)
    throw invalid('evidence.invalid', `Invalid ${name}: it is missing, and names ${what}`)
  return count
}

/** Returns the newest complete checkpoint. @throws Refusal `unavailable` before the first */
const newestOf = async ({ log, checkpoints }: OpenEvidence): Promise<SignedCheckpoint> => {
  if (checkpoints.shown) return checkpoints.shown
  const newest = await checkpoints.covering(Math.max(log.durableIndex, 1))
  if (checkpoints.shown) return checkpoints.shown
  throw new Refusal(
    'evidence.unavailable',
    newest
      ? 'No checkpoint has the signatures of its witnesses yet: the log of the server says which are missing'
      : 'No checkpoint could be made: the log of the server says why'
  )
}

/**
 * Waits until the tree has the given size.
 * @throws Refusal `missing` if the log is shorter, `unavailable` while the tree is far behind
 */
const reach = async ({ log, tree }: OpenEvidence, count: number, name: string): Promise<void> => {
  const { durableIndex } = log
  if (count > durableIndex)
    throw new Refusal(
      'evidence.not-found',
      `Not found: ${name} is ${count}, and the log has ${durableIndex} commits`
    )
  if (count <= tree.size) return
  if (tree.behind > MAX_AWAITED)
    throw new Refusal(
      'evidence.unavailable',
      `The tree has ${tree.size} of ${durableIndex} commits as yet, and ${name} is ${count}: try again`
    )
  await tree.catchUp()
}

/** Returns the requested tree size. Default: that of the newest checkpoint. @throws Refusal */
const sizeIn = async (request: RequestContext, evidence: OpenEvidence, name: string): Promise<number> => {
  const size = countIn(request, name)
  if (size === undefined) return (await newestOf(evidence)).size
  await reach(evidence, size, name)
  return size
}

/** Facts of all routes of evidence. */
export const facts = {
  process: 'main',
  method: 'GET',
  tag: 'Events',
  access: noToken,
  tenancy: 'none',
  refusesUnknown: true
} as const

const DEFAULT_SIZE = 'default: that of the newest checkpoint'

const base64 = (hashes: readonly Buffer[]): readonly string[] => hashes.map(hash => hash.toString('base64'))

type ProvedRecord = Awaited<ReturnType<ProvableLog['provedRecord']>>

/** Returns the proved record of a commit; undefined if it was pruned. */
const recordOf = (log: ProvableLog, index: number): Promise<ProvedRecord | undefined> =>
  log.provedRecord(index).catch(recovery(CommitsPruned, () => undefined))

const inclusion = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  const open = evidence.required
  const Index = requiredCount(request, 'index', 'the commit to prove')
  const TreeSize = await sizeIn(request, open, 'size')
  if (Index > TreeSize)
    throw invalid(
      'evidence.invalid',
      `Invalid index: commit ${Index} is not in the tree of the first ${TreeSize} commits`
    )
  const { tree } = open.tree
  // Verifies the record before proving it.
  await recordOf(open.log, Index)
  const LeafHash = (await tree.leafHash(Index - 1)).toString('base64')
  return json({ Index, TreeSize, LeafHash, Hashes: base64(await tree.inclusion(Index - 1, TreeSize)) })
}

const consistency = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  const open = evidence.required
  const From = requiredCount(request, 'from', 'the size of the older tree')
  const To = await sizeIn(request, open, 'to')
  if (From > To)
    throw invalid(
      'evidence.invalid',
      `Invalid from: the older tree has ${From} commits, and the newer one ${To}`
    )
  return json({ From, To, Hashes: base64(await open.tree.tree.consistency(From, To)) })
}

const discloseCommit = async (request: RequestContext, evidence: LogEvidence): Promise<RouteResponse> => {
  request.requireToken()
  const open = evidence.required
  const index = requiredCount(request, 'index', 'the commit to return')
  await reach(open, index, 'index')
  const record = await recordOf(open.log, index)
  if (!record)
    throw new Refusal(
      'evidence.gone',
      `Commit ${index} is no longer kept: the oldest is ${open.log.firstIndex}. Its hash still is`
    )
  const events = record.events()
  // A leaf shows texts in their hashed form. An event that the caller may see only in part is withheld (decisions.md 55).
  const authorizer = request.usage.credited
  const isVisible = events.map(event => visibleEvent(authorizer, event, 'resource') === event)
  const partitions = new Set(['default', ...events.map(({ Partition }) => Partition)])
  const isOriginVisible = [...partitions].every(partition =>
    request.may('operator', 'read', '', { partition, namespace: 'default' })
  )
  return json(discloseLeaf(record, ({ event }) => (event < 0 ? isOriginVisible : isVisible[event] === true)))
}

export const proofRoutes = (evidence: LogEvidence): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/event/proof/inclusion',
    operationId: 'proveInclusion',
    summary: 'Prove that a commit is in the log',
    query: { index: unsigned64('Index of the commit'), size: unsigned64(`Tree size; ${DEFAULT_SIZE}`) },
    response: inclusionProof,
    handle: request => inclusion(request, evidence)
  }),
  route({
    ...facts,
    path: '/v1/event/proof/consistency',
    operationId: 'proveConsistency',
    summary: 'Prove that no commit of an older tree was changed or removed',
    query: {
      from: unsigned64('Size of the older tree'),
      to: unsigned64(`Size of the newer tree; ${DEFAULT_SIZE}`)
    },
    response: consistencyProof,
    handle: request => consistency(request, evidence)
  }),
  route({
    ...facts,
    access: anyToken(
      'parts that the caller may not read are withheld; the caller of the commit needs operator:read'
    ),
    path: '/v1/event/leaf',
    operationId: 'readLeaf',
    summary: 'A commit as a leaf of the tree, with the parts that the caller may see',
    query: { index: unsigned64('Index of the commit') },
    response: leaf,
    outcomes: { 410: { description: 'The commit was pruned' } },
    handle: request => discloseCommit(request, evidence)
  })
]

/** A checkpoint changes every second. */
const UNCACHED = ['Cache-Control', 'no-cache']
const EXAMPLE = `annals/4f1d…/1
42
kGmUQwOOVzTi/tzqyKqqTJzbqJV0pqLPkCUqaZsBy8A=

— annals/4f1d…/1 mFkq…
`

export const checkpointRoutes = (evidence: LogEvidence): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/event/checkpoint',
    operationId: 'readCheckpoint',
    summary: 'The signed checkpoint of the log: the number of commits and the root of their tree',
    query: { size: unsigned64('Tree size of the checkpoint; default: the newest') },
    rawResponse: {
      type: 'text/plain',
      description: 'A note in the formats C2SP tlog-checkpoint and signed-note',
      example: EXAMPLE
    },
    handle: async request => {
      const open = evidence.required
      const size = countIn(request, 'size')
      if (size !== undefined) await reach(open, size, 'size')
      const { text } = size === undefined ? await newestOf(open) : await open.checkpoints.at(size)
      return plain(200, text, UNCACHED)
    }
  }),
  route({
    ...facts,
    path: '/v1/event/checkpoint/key',
    operationId: 'readCheckpointKey',
    summary: 'The public key that signs the checkpoints',
    rawResponse: {
      type: 'text/plain',
      description: 'A line in the format C2SP signed-note: name, hash and key',
      example: 'annals/4f1d…/1+98592a9f+AXr…'
    },
    handle: () => plain(200, `${evidence.required.vkey}\n`, UNCACHED)
  })
]
