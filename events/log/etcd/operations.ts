// The steps of a transaction of etcd, in short.
import type { Compare, KeyValue, RangeRequest, RequestOp, TxnResponse } from './messages.js'

const CREATE_REVISION = 1
const VALUE = 3

/** Holds if the key has this value. */
export const valueIs = (key: Uint8Array, value: Uint8Array): Compare => ({ target: VALUE, key, value })

/** Holds if this revision created the key. */
export const createdBy = (key: Uint8Array, createRevision: number): Compare => ({
  target: CREATE_REVISION,
  key,
  createRevision
})

/** Holds if there is no such key. */
export const isAbsent = (key: Uint8Array): Compare => createdBy(key, 0)

/** @param lease the key ends with it; 0 for none */
export const put = (key: Uint8Array, value: Uint8Array, lease = 0): RequestOp => ({
  requestPut: { key, value, lease }
})

export const range = (request: RangeRequest): RequestOp => ({ requestRange: request })

export const remove = (key: Uint8Array): RequestOp => ({ requestDeleteRange: { key } })

/** @param end the first key that stays */
export const removeRange = (key: Uint8Array, end: Uint8Array): RequestOp => ({
  requestDeleteRange: { key, rangeEnd: end }
})

/** What the nth step of a transaction found, which was a range. */
export const foundBy = ({ responses }: TxnResponse, step: number): readonly KeyValue[] =>
  responses?.[step]?.responseRange?.kvs ?? []
