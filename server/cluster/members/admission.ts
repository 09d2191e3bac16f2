import { JoinRefused, type Member, type SharedLog } from '../../../events/log/cluster/shared-log.js'
import { isLoopbackHost } from '../../../projections/ip-address.js'
import { advertisedOf } from '../../settings/listeners.js'
import type { Settings } from '../../settings/settings.js'

const isLoopback = ({ address }: Pick<Member, 'address'>): boolean =>
  isLoopbackHost(new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'))

/** @throws JoinRefused for a loopback address where another registered member has one that other machines reach */
const refuseLoopback = (address: string, others: readonly Member[]): void => {
  if (!isLoopback({ address })) return
  const other = others.find(member => !isLoopback(member))
  if (other)
    throw new JoinRefused(
      `this server advertises ${address}, which no other machine reaches, and ${other.name} advertises ${other.address}: set cluster.advertise, or bind, to an address that the other servers reach (if ${other.name} will not come back, forget it with annals cluster leave --id ${other.id})`
    )
}

/** The name or ID of this server belongs to a live member, until that member ends or its lease expires. */
export class NameTaken extends JoinRefused {}

const isNamesake = ({ id, name }: Member, { node_id, node_name }: Settings): boolean =>
  id !== node_id && name.toLowerCase() === node_name.toLowerCase()

/** Returns true if a live member with this server's ID runs at another address, so that it is not an earlier run of this server. */
const isTwin = ({ id, address }: Member, settings: Settings): boolean => {
  const own = new URL(advertisedOf(settings))
  // Port 0 stands for any free port.
  return id === settings.node_id && own.port !== '0' && own.origin !== new URL(address).origin
}

/** @throws NameTaken if a live member has this server's ID, which means that the data folder is a copy */
const refuseTwin = (settings: Settings, live: readonly Member[]): void => {
  const twin = live.find(member => isTwin(member, settings))
  if (twin)
    throw new NameTaken(
      `node ID ${twin.id} belongs to the server ${twin.name} at ${twin.address}, which is live: if ${settings.data_dir} is a copy of its data folder, remove the file node-id there, and start with node_id set to a new UUID`
    )
}

/** @throws JoinRefused if a live member has the same name, or is in another datacenter */
const refuseLive = (settings: Settings, live: readonly Member[]): void => {
  const { node_name: name, datacenter } = settings
  const namesake = live.find(member => isNamesake(member, settings))
  if (namesake)
    throw new NameTaken(
      `node_name ${name} belongs to the server with node ID ${namesake.id} at ${namesake.address}, which is live: give each server of the cluster a name of its own`
    )
  const foreign = live.find(member => (member.datacenter ?? datacenter) !== datacenter)
  if (foreign)
    throw new JoinRefused(
      `datacenter is ${datacenter}, and ${foreign.name} at ${foreign.address} is of datacenter ${foreign.datacenter}: servers of one cluster have the same datacenter; use another cluster.etcd.prefix for another one`
    )
}

/** Removes stopped members with the name of this server, such as one whose data folder was lost. @throws SharedUnreachable */
export const replaceNamesakes = async (
  settings: Settings,
  shared: Pick<SharedLog, 'members' | 'forget'>
): Promise<void> => {
  for (const member of (await shared.members()).joined)
    if (isNamesake(member, settings)) await shared.forget(member.id)
}

/** @throws JoinRefused; SharedUnreachable */
export const checkAdmission = async (
  settings: Settings,
  shared: Pick<SharedLog, 'members'>
): Promise<void> => {
  const { live, joined } = await shared.members()
  const isOther = ({ id }: Member): boolean => id !== settings.node_id
  refuseTwin(settings, live)
  refuseLive(settings, live.filter(isOther))
  refuseLoopback(
    advertisedOf(settings),
    [...live, ...joined].filter(member => isOther(member) && !isNamesake(member, settings))
  )
}
