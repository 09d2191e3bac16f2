// The messages of etcd's API, as its `rpc.proto` and `kv.proto` have them: requests are decoded, responses encoded.
import protobuf from 'protobufjs'
import type { Compare, Operation, RangeRequest } from './etcd-store.js'

const { root } = protobuf.parse(`
  syntax = "proto3";
  message ResponseHeader { int64 revision = 3; }
  message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; bytes value = 5; int64 lease = 6; }
  message Event { int32 type = 1; KeyValue kv = 2; }
  message RangeRequest {
    bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4; int32 sort_order = 5; int32 sort_target = 6;
    bool keys_only = 8; int64 min_create_revision = 12;
  }
  message RangeResponse { ResponseHeader header = 1; repeated KeyValue kvs = 2; bool more = 3; }
  message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; }
  message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; }
  message RequestOp {
    oneof request { RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3; }
  }
  message ResponseOp { oneof response { RangeResponse response_range = 1; } }
  message Compare {
    int32 result = 1; int32 target = 2; bytes key = 3;
    oneof target_union { int64 create_revision = 5; bytes value = 7; }
  }
  message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
  message TxnResponse { ResponseHeader header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }
  message CompactionRequest { int64 revision = 1; }
  message CompactionResponse { ResponseHeader header = 1; }
  message WatchCreateRequest { bytes key = 1; bytes range_end = 2; int64 start_revision = 3; repeated int32 filters = 5; }
  message WatchRequest { WatchCreateRequest create_request = 1; }
  message WatchResponse {
    ResponseHeader header = 1; bool created = 3; bool canceled = 4; int64 compact_revision = 5; string cancel_reason = 6;
    repeated Event events = 11;
  }
  message StatusRequest { }
  message StatusResponse { ResponseHeader header = 1; repeated string errors = 8; int64 dbSizeInUse = 9; }
  message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
  message LeaseGrantResponse { int64 ID = 2; int64 TTL = 3; }
  message LeaseRevokeRequest { int64 ID = 1; }
  message LeaseRevokeResponse { }
  message LeaseKeepAliveRequest { int64 ID = 1; }
  message LeaseKeepAliveResponse { int64 ID = 2; int64 TTL = 3; }
`)

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
export const readLease = reader('LeaseGrantRequest', { ID: 0, TTL: 0 })
export const readWatch = reader<{ readonly createRequest: WatchCreation | undefined }>('WatchRequest', {
  createRequest: undefined
})

export const written = (name: string, message: object): Buffer =>
  Buffer.from(root.lookupType(name).encode(message).finish())
