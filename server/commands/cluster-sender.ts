// Requests of a command to the servers of the cluster, in the name of the server of its configuration.
import { createSecureContext } from 'node:tls'
import { ClockWatch, Clock, Deadlines, Timers } from '../../actors/clock.js'
import { OutgoingTls } from '../../actors/outgoing/destinations.js'
import { CLUSTER_SIDE, OUTGOING_SIDE, readMaterial } from '../../http/wire/tls/material.js'
import type { Sender } from '../cluster/members/reachability.js'
import { signedBy } from '../cluster/members/signed-requests.js'
import { ServerConnections } from '../cluster/transport/server-connections.js'
import { clusterSecret, type Settings } from '../settings/settings.js'

/** Passes a sender and timers to `use`, and closes the connections. @throws SettingsError */
export const withSender = async <T>(
  settings: Settings,
  use: (sender: Sender, timers: Timers) => Promise<T>
): Promise<T> => {
  const clock = new Clock()
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const isOfCluster = settings.cluster.tls.ca_file !== undefined
  const material = readMaterial(settings, isOfCluster ? CLUSTER_SIDE : OUTGOING_SIDE)
  const timers = new Timers(deadlines)
  const tls = new OutgoingTls()
  tls.use(material)
  const context = isOfCluster ? createSecureContext(material) : tls.contextFor('')
  const connections = new ServerConnections({ material, context: () => context }, timers)
  const { node_id: id, node_name: node } = settings
  try {
    const from = { id, node, address: '' }
    const send: Sender['send'] = (to, outgoing, signal) =>
      connections.send(to, signedBy(clusterSecret(settings), outgoing, from, clock.now()), signal)
    return await use({ send }, timers)
  } finally {
    connections.close()
    deadlines.stop()
  }
}
