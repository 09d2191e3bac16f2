import type { InjectionToken } from 'tsyringe'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'

/** The log of the cluster in etcd. Registered only for members. */
export const SHARED_LOG: InjectionToken<SharedLog> = Symbol('SharedLog')
