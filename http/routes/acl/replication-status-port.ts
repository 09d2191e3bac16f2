import type { InjectionToken } from 'tsyringe'
import { ZERO_TIME } from '../../../events/time.js'

/** The response of `GET /v1/acl/replication` (spec: auth.md §11.1). */
export interface ReplicationStatusPort {
  readonly shown: object
}

/** The status of a datacenter that owns its ACLs. */
export const NOT_REPLICATING: ReplicationStatusPort = {
  shown: {
    Enabled: false,
    Running: false,
    SourceDatacenter: '',
    ReplicationType: '',
    ReplicatedIndex: 0,
    ReplicatedRoleIndex: 0,
    ReplicatedTokenIndex: 0,
    LastSuccess: ZERO_TIME,
    LastError: ZERO_TIME,
    LastErrorMessage: ''
  }
}

/** Registered only in secondary datacenters. */
export const REPLICATION_STATUS: InjectionToken<ReplicationStatusPort> = Symbol('ReplicationStatus')
