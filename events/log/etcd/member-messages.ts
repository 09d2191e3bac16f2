// The messages of etcd's API for operators: its members, their state and their alarms. IDs are texts, since they exceed the precision of numbers.
import Long from 'long'
import protobuf from 'protobufjs'
import { methodOf, type Method } from './messages.js'

// A bundle has no `require`, by which protobufjs would find it.
protobuf.util.Long = Long
protobuf.configure()

/** Field numbers are those of etcd's `rpc.proto`; enums are given as numbers. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ResponseHeader { uint64 member_id = 2; }
  message Member {
    uint64 ID = 1; string name = 2; repeated string peerURLs = 3; repeated string clientURLs = 4; bool isLearner = 5;
  }
  message MemberListRequest { }
  message MemberListResponse { repeated Member members = 2; }
  message MemberAddRequest { repeated string peerURLs = 1; bool isLearner = 2; }
  message MemberAddResponse { Member member = 2; repeated Member members = 3; }
  message MemberRemoveRequest { uint64 ID = 1; }
  message MemberRemoveResponse { repeated Member members = 2; }
  message MemberPromoteRequest { uint64 ID = 1; }
  message MemberPromoteResponse { repeated Member members = 2; }

  message AlarmMember { uint64 memberID = 1; int32 alarm = 2; }
  message AlarmRequest { int32 action = 1; uint64 memberID = 2; int32 alarm = 3; }
  message AlarmResponse { repeated AlarmMember alarms = 2; }
  message DefragmentRequest { }
  message DefragmentResponse { }
  message StatusRequest { }
  message StatusResponse {
    ResponseHeader header = 1; string version = 2; int64 dbSize = 3; uint64 leader = 4; uint64 raftIndex = 5; uint64 raftTerm = 6;
    uint64 raftAppliedIndex = 7; int64 dbSizeInUse = 9; bool isLearner = 10;
  }
`)

export interface EtcdMember {
  readonly ID: string
  /** Absent until it has started. */
  readonly name?: string
  readonly peerURLs?: readonly string[]
  readonly clientURLs?: readonly string[]
  readonly isLearner?: boolean
}

export interface Alarm {
  readonly memberID: string
  /** 1 NOSPACE, 2 CORRUPT. */
  readonly alarm: number
}

export interface EtcdMemberStatus {
  readonly header?: { readonly memberId?: string }
  readonly version?: string
  /** Bytes of its file. */
  readonly dbSize?: string
  readonly dbSizeInUse?: string
  /** ID of the leader; "0" or absent without one. */
  readonly leader?: string
  readonly raftIndex?: string
  readonly isLearner?: boolean
}

interface Members {
  readonly members?: readonly EtcdMember[]
}
type Id = { readonly ID: string }
type AlarmRequest = { readonly action: 0 | 2; readonly memberID?: string; readonly alarm?: number }

const cluster = (call: string) => methodOf(root, ['Cluster', call], String)
const maintenance = (call: string) => methodOf(root, ['Maintenance', call], String)

export const MEMBER_LIST: Method<object, Members> = cluster('MemberList')
export const MEMBER_ADD: Method<
  { readonly peerURLs: readonly string[]; readonly isLearner: boolean },
  Members & { readonly member?: EtcdMember }
> = cluster('MemberAdd')
export const MEMBER_REMOVE: Method<Id, Members> = cluster('MemberRemove')
export const MEMBER_PROMOTE: Method<Id, Members> = cluster('MemberPromote')
/** `action`: 0 lists, 2 disarms. */
export const ALARM: Method<AlarmRequest, { readonly alarms?: readonly Alarm[] }> = maintenance('Alarm')
export const DEFRAGMENT: Method<object, object> = maintenance('Defragment')
export const MEMBER_STATUS: Method<object, EtcdMemberStatus> = maintenance('Status')
