// What `GET /v1/acl/replication` tells (spec: auth.md §11.1).
import type { InjectionToken } from 'tsyringe'
import { ZERO_TIME } from '../../../events/time.js'

/** What is told, as it is now. */
export interface ReplicationStatusPort {
  readonly shown: object
}

/** Of a datacenter that owns its ACLs and so replicates them from nowhere. */
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

/** Registered only where another datacenter is the primary. */
export const REPLICATION_STATUS: InjectionToken<ReplicationStatusPort> = Symbol('ReplicationStatus')
