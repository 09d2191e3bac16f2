// Endpoints for servers of the cluster: mutual reachability, and the archive of a snapshot that is being restored.
import { Refusal } from '../../../actors/refusal.js'
import { otherServer } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { RequestRouting } from '../../wire/request-routing.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import { OWN_SERVER } from '../operator/status.js'
import { empty, plain } from '../../wire/response.js'
import { route, type Route } from '../../wire/route.js'
import type { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import { pipeline } from 'node:stream/promises'

/** The facts of endpoints that only servers of the cluster may call. */
export const SERVER_FACTS = { ...OWN_SERVER, tag: 'Operator' } as const

/** The status for a pruned commit. A server that receives it does not retry. */
export const PRUNED_STATUS = 410

/**
 * Rejects clients, including requests that a worker forwards for them.
 * @param what completes "may", such as `ask for its log`
 * @throws Refusal `denied` for callers that are no servers of the cluster
 */
export const requireServer = ({ sender, settings }: RequestContext, what: string): void => {
  if (!otherServer(sender, settings.node_id))
    throw new Refusal('cluster.denied', `Permission denied: only servers of the cluster may ${what}`)
}

export const REACH_PATH = '/v1/internal/reach'

const NOT_REACHED = 502

const reachFacts = { ...SERVER_FACTS, path: REACH_PATH } as const

/** Probes a member. Resolves with the fault, or undefined if the member is reachable. */
export type CallBack = (id: string) => Promise<string | undefined>

/** @param callBack of the process that takes part in the cluster */
export const reachRoutes = (callBack: () => CallBack): readonly Route[] => [
  route({
    ...reachFacts,
    method: 'GET',
    operationId: 'readReach',
    summary: 'For servers of the cluster: prove that this server is reachable',
    rawResponse: { type: 'text/plain', description: 'ID of its own node' },
    handle: request => {
      requireServer(request, 'probe it')
      return plain(200, request.settings.node_id)
    }
  }),
  route({
    ...reachFacts,
    method: 'PUT',
    operationId: 'callBack',
    summary: 'For servers of the cluster: probe the calling server at the address that it announced',
    outcomes: { [NOT_REACHED]: { description: 'The server is not reachable for the reason in the text' } },
    idempotency: { refused: 'it changes no visible state' },
    handle: async request => {
      requireServer(request, 'ask it to call back')
      const fault = await callBack()(request.sender?.id ?? '')
      return fault === undefined ? empty(200) : plain(NOT_REACHED, fault)
    }
  })
]

export const READ_INDEX_PATH = '/v1/internal/read-index'

/**
 * Answered by the leader while its lease lasts, and when what it shows is durable, as all default reads. As a WebSocket, it answers each
 * message so, and closes once it does not lead for certain.
 */
export const readIndexRoutes = (
  routing: () => Pick<RequestRouting, 'isLeading'>,
  { signal: closing }: Pick<ShutdownSignal, 'signal'>
): readonly Route[] => [
  route({
    ...SERVER_FACTS,
    runs: 'anywhere',
    path: READ_INDEX_PATH,
    method: 'GET',
    operationId: 'readReadIndex',
    summary:
      'For servers of the cluster: the index of the newest commit, for which a default read of a follower waits',
    rawResponse: { type: 'text/plain', description: 'The index' },
    webSocket: request => {
      requireServer(request, 'ask for its index')
      return closing.aborted ? undefined : socket => answerQuestions(socket, request, routing(), closing)
    },
    handle: request => {
      requireServer(request, 'ask for its index')
      return plain(200, String(request.views.index))
    }
  })
]

const answerQuestions = (
  socket: WebSocket,
  { committer, views }: RequestContext,
  routing: Pick<RequestRouting, 'isLeading'>,
  closing: AbortSignal
): void => {
  const close = (): void => socket.terminate()
  closing.addEventListener('abort', close)
  socket.once('close', () => closing.removeEventListener('abort', close))
  socket.on('error', close)
  socket.on('message', () => {
    if (!routing.isLeading()) return close()
    const index = String(views.index)
    committer.whenDurable(undefined, failure => {
      if (failure || !routing.isLeading()) close()
      else socket.send(index)
    })
  })
}

export const RESTORES_PATH = '/v1/internal/restores'

const DIGEST = /^[0-9a-f]{64}$/
const restoreFacts = { ...SERVER_FACTS, tag: 'Snapshot', path: `${RESTORES_PATH}/:Digest` } as const

/** The archive store as other servers use it. */
export interface InternalRestores {
  /** Resolves with undefined if the archive is not in the store. */
  readonly file: (digest: string) => Promise<Readable | undefined>
  /** Copies the archive from another server. Resolves with whether the store has it. */
  readonly fetch: (digest: string) => Promise<boolean>
}

/** @throws Refusal `denied` for callers that are no servers of the cluster, or `invalid` */
const digestIn = (request: RequestContext): string => {
  requireServer(request, 'ask for its archives')
  const digest = request.param('Digest')
  if (!DIGEST.test(digest))
    throw new Refusal('cluster.invalid', 'Invalid Digest: it must be a SHA-256 in hex')
  return digest
}

/** @param restores of the process that stores archives */
export const internalRestoreRoutes = (restores: () => InternalRestores): readonly Route[] => [
  route({
    ...restoreFacts,
    method: 'GET',
    operationId: 'readInternalRestore',
    summary: 'For servers of the cluster: the archive of a running restore, encrypted by `encryption.key`',
    rawResponse: { type: 'application/octet-stream', description: 'The file' },
    outcomes: { [PRUNED_STATUS]: { description: 'The store does not have the archive' } },
    handle: async request => {
      const digest = digestIn(request)
      const bytes = await restores().file(digest)
      if (!bytes) throw new Refusal('cluster.gone', 'The archive is not here')
      return {
        status: 200,
        body: '',
        type: 'application/octet-stream',
        headers: [],
        // The reader detects truncation by the digest.
        stream: response => void pipeline(bytes, response).catch(() => response.destroy())
      }
    }
  }),
  route({
    ...restoreFacts,
    method: 'PUT',
    operationId: 'fetchInternalRestore',
    summary: 'For servers of the cluster: copy the archive of a restore before it starts',
    idempotency: { refused: 'it changes no visible state' },
    handle: async request => {
      const digest = digestIn(request)
      if (!(await restores().fetch(digest)))
        throw new Refusal('cluster.unavailable', 'The archive cannot be had now')
      return empty(200)
    }
  })
]
