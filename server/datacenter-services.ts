// What a server with other datacenters has beyond others. Loaded only if the settings name some.
import { datacenterComponents, registerDatacenters } from './cluster/datacenters/register-datacenters.js'
import {
  registerReplication,
  registerReplicationFeed,
  replicationComponents
} from './cluster/replication/register-replication.js'
import type { Capability } from './component.js'
import { outgoingCertificates } from './core.js'
import { remotePrimary } from './settings/datacenters.js'
import type { Settings } from './settings/settings.js'

export const datacenterServices = (settings: Settings): Capability => ({
  register: scope => {
    registerDatacenters(scope, settings)
    registerReplication(scope, settings)
  },
  components: [...datacenterComponents(settings), ...replicationComponents(settings)]
})

/** A worker sends requests to other datacenters and serves replication, but follows no other datacenter. */
export const datacenterServicesOfWorker = (settings: Settings): Capability => ({
  register: scope => {
    registerDatacenters(scope, settings)
    if (remotePrimary(settings) === undefined) registerReplicationFeed(scope)
  },
  components: [outgoingCertificates, ...datacenterComponents(settings)]
})
