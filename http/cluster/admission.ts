// Which servers may take part in a cluster beside its other members.
import { JoinRefused, type Member, type SharedLog } from '../../events/log/cluster/shared-log.js'
import { isLoopbackHost } from '../../projections/ip-address.js'
import { advertisedOf } from '../settings/listeners.js'
import type { Settings } from '../settings/settings.js'

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

/**
 * Checks that a server may take part beside the other registered members.
 * @throws JoinRefused; SharedUnreachable
 */
export const checkAdmission = async (
  settings: Settings,
  shared: Pick<SharedLog, 'members' | 'joined'>
): Promise<void> => {
  const [live, joined] = await Promise.all([shared.members(), shared.joined()])
  const isOther = ({ id }: Member): boolean => id !== settings.node_id
  refuseLoopback(advertisedOf(settings), [...live, ...joined].filter(isOther))
}
