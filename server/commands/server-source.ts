// The log of a server as a source of publications and replicas.
import { hasStatus } from '../../clients/cli/console.js'
import type { Connection } from '../../clients/typescript/connection.js'
import type { Schemas } from '../../clients/typescript/typed/index.js'
import { callOperation } from '../../clients/typescript/typed/operations.js'
import type { Erasure } from '../../events/erasure.js'
import type { RecordSource } from '../publication/payload-segments.js'
import { httpFiles, readAnswer, streamFrom, type PublicFiles } from '../publication/public-files.js'

/** The public files of a server. Refused requests end the command. */
export const serverFiles = (connection: Connection): PublicFiles =>
  httpFiles(`${connection.address}/v1/event`, async path => {
    try {
      return await connection.request('GET', `/v1/event/${path}`)
    } catch (error) {
      if (hasStatus(error, 404)) return undefined
      throw error
    }
  })

/** Limit of a response with records, of which the largest is alone in one. */
const MAX_RECORDS_BYTES = 2 ** 30

/** The order of an entry in the list of erasures. */
const erasureIn = (entry: Schemas['Erasure']): Erasure => {
  const { UpTo, Accessor, Topic = '', Namespace = '', Partition = '', Key, Prefix, Scope } = entry
  if (Accessor !== undefined) return { Part: 'who', Accessor, UpTo }
  return {
    Topic,
    Namespace,
    Partition,
    ...(Key === undefined ? { Prefix: Prefix ?? '' } : { Key }),
    ...(Scope === 'history' && { Scope }),
    UpTo
  }
}

/** The records and erasures of a server. */
export const recordSource = (connection: Connection, maxBytes = MAX_RECORDS_BYTES): RecordSource => ({
  records: async from => {
    const path = `records?from=${from}`
    const place = `${connection.address}/v1/event`
    const bytes = await readAnswer({ place, path, maxBytes }, () =>
      // The compression of many records takes the server longer than everything else.
      connection.request('GET', `/v1/event/${path}`, { headers: { 'Accept-Encoding': 'identity' } })
    )
    return bytes ?? Buffer.alloc(0)
  },
  base: async ({ after, upTo }) => {
    const path = `base?after=${after}&upto=${upTo}`
    const place = `${connection.address}/v1/event/${path}`
    const { headers, body } = await streamFrom(place, () =>
      connection.request('GET', `/v1/event/${path}`, { headers: { 'Accept-Encoding': 'identity' } })
    )
    const index = Number(headers.get('X-Service-Base-Index') ?? 0)
    return {
      oldest: Number(headers.get('X-Service-Oldest-Index') ?? 1),
      base: index === 0 ? undefined : { index, bytes: body }
    }
  },
  erasures: async () => {
    const orders = await callOperation(connection, 'get', '/v1/event/erasures', { query: {} })
    return orders.map(order => ({
      index: order.Index,
      erasure: erasureIn(order),
      isDone: order.State === 'done'
    }))
  }
})
