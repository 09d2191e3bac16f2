// The archive of a snapshot that is being restored, among the servers of a cluster. Asked by servers only.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../../../actors/refusal.js'
import { empty } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { PRUNED_STATUS } from './log.js'
import { requireServer } from './servers-only.js'

export const RESTORES_PATH = '/v1/internal/restores'

const DIGEST = /^[0-9a-f]{64}$/
const facts = {
  path: `${RESTORES_PATH}/:Digest`,
  tag: 'Snapshot',
  access: noToken,
  tenancy: 'none',
  runs: 'here'
} as const

/** What other servers ask of the shelf of this one. */
export interface InternalRestores {
  /** The file of the archive with a digest; undefined when it is not here. */
  readonly file: (digest: string) => Promise<Readable | undefined>
  /** Fetches it from another server. Resolves with whether it is here then. */
  readonly fetch: (digest: string) => Promise<boolean>
}

/** @throws Refusal `denied` unless another server of the cluster asks; `invalid` */
const digestIn = (request: RequestContext): string => {
  requireServer(request, 'ask for its archives')
  const digest = request.param('Digest')
  if (!DIGEST.test(digest)) throw new Refusal('invalid', 'Invalid Digest: it must be a SHA-256 in hex')
  return digest
}

/** @param restores those of a process that keeps archives, which alone answers */
export const internalRestoreRoutes = (restores: () => InternalRestores): readonly Route[] => [
  route({
    ...facts,
    method: 'GET',
    operationId: 'readInternalRestore',
    summary: 'For servers of the cluster: the archive that is being restored, encrypted by `encryption.key`',
    rawResponse: { type: 'application/octet-stream', description: 'The file' },
    outcomes: { [PRUNED_STATUS]: { description: 'It is not here' } },
    handle: async request => {
      const digest = digestIn(request)
      const bytes = await restores().file(digest)
      if (!bytes) throw new Refusal('gone', 'The archive is not here')
      return {
        status: 200,
        body: '',
        type: 'application/octet-stream',
        headers: [],
        // Whoever reads notices by the digest that it is not whole.
        stream: response => void pipeline(bytes, response).catch(() => response.destroy())
      }
    }
  }),
  route({
    ...facts,
    method: 'PUT',
    operationId: 'fetchInternalRestore',
    summary: 'For servers of the cluster: fetches the archive of a restore that is about to begin',
    idempotency: { refused: 'it changes nothing that is shown' },
    handle: async request => {
      const digest = digestIn(request)
      if (!(await restores().fetch(digest))) throw new Refusal('unavailable', 'The archive cannot be had now')
      return empty(200)
    }
  })
]
