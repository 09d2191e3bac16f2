// The messages of etcd's API, version 3, as far as they are used here. As everywhere in proto3, what is absent is zero or empty.
import protobuf from 'protobufjs'

/** Field numbers are those of etcd's `rpc.proto` and `kv.proto`; enums are given as numbers. */
export const { root } = protobuf.parse(`
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
  message CompactionRequest { int64 revision = 1; bool physical = 2; }
  message CompactionResponse { ResponseHeader header = 1; }

  message WatchCreateRequest {
    bytes key = 1; bytes range_end = 2; int64 start_revision = 3; repeated int32 filters = 5; bool fragment = 8;
  }
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

  message AuthenticateRequest { string name = 1; string password = 2; }
  message AuthenticateResponse { string token = 2; }
`)

interface Header {
  readonly revision?: number
}

export interface KeyValue {
  readonly key?: Uint8Array
  readonly createRevision?: number
  readonly modRevision?: number
  readonly value?: Uint8Array
  readonly lease?: number
}

interface RangeRequest {
  readonly key: Uint8Array
  readonly rangeEnd?: Uint8Array
  readonly limit?: number
  readonly revision?: number
  /** 1 ascending, 2 descending. */
  readonly sortOrder?: number
  /** 0 by key, 2 by the revision that created it. */
  readonly sortTarget?: number
  readonly keysOnly?: boolean
  readonly minCreateRevision?: number
}

interface RangeResponse {
  readonly header?: Header
  readonly kvs?: readonly KeyValue[]
  readonly more?: boolean
}

type RequestOp =
  | { readonly requestRange: RangeRequest }
  | { readonly requestPut: { readonly key: Uint8Array; readonly value: Uint8Array; readonly lease?: number } }
  | { readonly requestDeleteRange: { readonly key: Uint8Array; readonly rangeEnd?: Uint8Array } }

/** Compares for equality. `target`: 1 the revision that created the key, 3 its value. */
export type Compare =
  | { readonly target: 1; readonly key: Uint8Array; readonly createRevision: number }
  | { readonly target: 3; readonly key: Uint8Array; readonly value: Uint8Array }

export interface TxnRequest {
  readonly compare?: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure?: readonly RequestOp[]
}

export interface TxnResponse {
  readonly header?: Header
  readonly succeeded?: boolean
  readonly responses?: readonly { readonly responseRange?: RangeResponse }[]
}

interface WatchCreateRequest {
  readonly key: Uint8Array
  /** Only the key is watched where absent. */
  readonly rangeEnd?: Uint8Array
  /** Events from now on where absent. */
  readonly startRevision?: number
  /** 1 leaves out what was deleted. */
  readonly filters?: readonly number[]
  readonly fragment?: boolean
}

interface WatchResponse {
  readonly header?: Header
  readonly created?: boolean
  readonly canceled?: boolean
  readonly compactRevision?: number
  readonly cancelReason?: string
  readonly events?: readonly { readonly type?: number; readonly kv?: KeyValue }[]
}

interface Lease {
  readonly ID?: number
  /** Seconds. */
  readonly TTL?: number
}

/** A call of etcd's API: where it is, and its messages as bytes. */
export interface Method<Request, Response> {
  readonly path: string
  readonly encode: (request: Request) => Buffer
  readonly decode: (bytes: Buffer) => Response
}

/** @param messages what the names of its request and its response begin with @param longs type of 64-bit numbers in responses */
export const methodOf = (
  types: protobuf.Root,
  [service, call, messages = call]: readonly [service: string, call: string, messages?: string],
  longs: NumberConstructor | StringConstructor = Number
) => {
  const [request, response] = [
    types.lookupType(`${messages}Request`),
    types.lookupType(`${messages}Response`)
  ]
  return {
    path: `/etcdserverpb.${service}/${call}`,
    encode: (message: object): Buffer => {
      const { buffer, byteOffset, length } = request.encode(message).finish()
      return Buffer.from(buffer, byteOffset, length)
    },
    decode: (bytes: Buffer) => response.toObject(response.decode(bytes), { longs })
  }
}

const method = (...call: Parameters<typeof methodOf>[1]) => methodOf(root, call)

type Compaction = { readonly revision: number; readonly physical: boolean }
type Status = { readonly errors?: readonly string[]; readonly dbSizeInUse?: number }
type Login = { readonly name: string; readonly password: string }

export const RANGE: Method<RangeRequest, RangeResponse> = method('KV', 'Range')
export const TXN: Method<TxnRequest, TxnResponse> = method('KV', 'Txn')
export const COMPACT: Method<Compaction, object> = method('KV', 'Compact', 'Compaction')
export const STATUS: Method<object, Status> = method('Maintenance', 'Status')
export const WATCH: Method<{ readonly createRequest: WatchCreateRequest }, WatchResponse> = method(
  'Watch',
  'Watch'
)
export const LEASE_GRANT: Method<Lease, Lease> = method('Lease', 'LeaseGrant')
export const LEASE_REVOKE: Method<Lease, object> = method('Lease', 'LeaseRevoke')
export const LEASE_KEEP_ALIVE: Method<Lease, Lease> = method('Lease', 'LeaseKeepAlive')
export const AUTHENTICATE: Method<Login, { readonly token?: string }> = method('Auth', 'Authenticate')

/** Holds if the key has this value. */
export const valueIs = (key: Uint8Array, value: Uint8Array): Compare => ({ target: 3, key, value })

/** Holds if this revision created the key. */
export const createdBy = (key: Uint8Array, createRevision: number): Compare => ({
  target: 1,
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
