// What a server does that knows other datacenters. Nothing of this is loaded where the settings name none.
import type { DependencyContainer } from 'tsyringe'
import type { ProvableLog } from '../events/log/provable-log.js'
import { registerDatacenters } from './cluster/datacenters/register-datacenters.js'
import type { Closers } from './closers.js'
import {
  registerReplication,
  registerReplicationFollower
} from './cluster/replication/register-replication.js'

/** Gives it what it asks others with, and what they ask of it. To be called before its routes are resolved. */
export const startDatacenterServices = (
  scope: DependencyContainer,
  closers: Closers,
  log: ProvableLog
): void => {
  registerDatacenters(scope, closers)
  registerReplication(scope, log)
}

/** Names what it does while it leads. */
export const registerDatacenterProcesses = (scope: DependencyContainer): void =>
  registerReplicationFollower(scope)
