// Registers the services of a server with other datacenters. Loaded only if the settings name some.
import type { DependencyContainer } from 'tsyringe'
import type { ProvableLog } from '../events/log/provable-log.js'
import { registerDatacenters } from './cluster/datacenters/register-datacenters.js'
import type { Closers } from './closers.js'
import {
  registerReplication,
  registerReplicationFollower
} from './cluster/replication/register-replication.js'

/** Must be called before the routes are resolved. */
export const startDatacenterServices = (
  scope: DependencyContainer,
  closers: Closers,
  log: ProvableLog
): void => {
  registerDatacenters(scope, closers)
  registerReplication(scope, log)
}

export const registerDatacenterProcesses = (scope: DependencyContainer): void =>
  registerReplicationFollower(scope)
