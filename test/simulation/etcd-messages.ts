// Decodes the requests of etcd's API, and encodes the responses.
import { root } from '../../events/log/etcd/messages.js'
import type { Compare, Operation, RangeRequest } from './etcd-store.js'

interface WatchCreation {
  readonly key: Uint8Array
  readonly rangeEnd: Uint8Array
  readonly startRevision: number
  readonly filters: readonly number[]
}

interface Transaction {
  readonly compare: readonly Compare[]
  readonly success: readonly Operation[]
  readonly failure: readonly Operation[]
}

/** Returns a decoder of requests. @param empty a request without fields */
const reader = <T extends object>(name: string, empty: T) => {
  const type = root.lookupType(name)
  return (bytes: Uint8Array): T => {
    const fields = type.toObject(type.decode(bytes), { longs: Number, defaults: true })
    return Object.assign({ ...empty }, fields)
  }
}

const NO_BYTES = Buffer.alloc(0)
export const readRange = reader<RangeRequest>('RangeRequest', {
  key: NO_BYTES,
  rangeEnd: NO_BYTES,
  limit: 0,
  revision: 0,
  sortOrder: 0,
  sortTarget: 0,
  keysOnly: false,
  minCreateRevision: 0
})
export const readTransaction = reader<Transaction>('TxnRequest', { compare: [], success: [], failure: [] })
export const readCompaction = reader('CompactionRequest', { revision: 0 })
export const readGrant = reader('LeaseGrantRequest', { ID: 0, TTL: 0 })
export const readKeepAlive = reader('LeaseKeepAliveRequest', { ID: 0 })
export const readRevocation = reader('LeaseRevokeRequest', { ID: 0 })
export const readWatch = reader<{ readonly createRequest: WatchCreation | undefined }>('WatchRequest', {
  createRequest: undefined
})

export const written = (name: string, message: object): Buffer =>
  Buffer.from(root.lookupType(name).encode(message).finish())
