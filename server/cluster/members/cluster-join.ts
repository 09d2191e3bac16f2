// Whether a server that does not run yet would reach the others of its cluster.
import { createSecureContext } from 'node:tls'
import { ClockWatch } from '../../../actors/clock-watch.js'
import { Clock } from '../../../actors/clock.js'
import { Deadlines } from '../../../actors/deadlines.js'
import { OutgoingTls } from '../../../actors/outgoing/outgoing-tls.js'
import { Timers } from '../../../actors/timers.js'
import { JoinRefused, type Member, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import { ServerConnections } from '../transport/server-connections.js'
import { clusterSecret, type Settings } from '../../settings/settings.js'
import { CLUSTER_SIDE, OUTGOING_SIDE, readMaterial } from '../../../http/wire/tls/material.js'
import { checkAdmission } from './admission.js'
import { probe, type Sender } from './reachability.js'
import { signedBy } from './signed-requests.js'

/** Returns a sentence for each of these members that does not answer this machine. @throws SettingsError */
const unreachableFrom = async (
  settings: Settings,
  members: readonly Member[]
): Promise<readonly string[]> => {
  const clock = new Clock()
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const isOfCluster = settings.cluster.tls.ca_file !== undefined
  const material = readMaterial(settings, isOfCluster ? CLUSTER_SIDE : OUTGOING_SIDE)
  const tls = new OutgoingTls()
  tls.use(material)
  const context = isOfCluster ? createSecureContext(material) : tls.contextFor('')
  const connections = new ServerConnections({ material, context: () => context }, new Timers(deadlines))
  const { node_id: id, node_name: node } = settings
  const sender: Sender = {
    send: (to, outgoing, signal) => {
      const from = { id, node, address: '' }
      return connections.send(to, signedBy(clusterSecret(settings), outgoing, from, clock.now()), signal)
    }
  }
  try {
    const faults = await Promise.all(members.map(member => probe(sender, member)))
    return members.flatMap(({ name, address }, at) =>
      faults[at] === undefined ? [] : [`this server does not reach ${name} at ${address}: ${faults[at]}`]
    )
  } finally {
    connections.close()
    deadlines.stop()
  }
}

/**
 * Checks that a server may take part, and that its machine reaches the other servers that run. Whether they reach this one is checked when it
 * has started.
 * @throws JoinRefused; SharedUnreachable
 */
export const checkJoin = async (settings: Settings, shared: SharedLog): Promise<void> => {
  await checkAdmission(settings, shared)
  const members = await shared.members()
  const others = members.filter(({ id }) => id !== settings.node_id)
  const faults = await unreachableFrom(settings, others)
  if (faults.length > 0) throw new JoinRefused(faults.join('; '))
}
