import {
  type ClusterSeed,
  type SharedLog,
  type Member,
  JoinRefused
} from '../../events/log/cluster/shared-log.js'
import { keepNodeId } from '../settings/node-id.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { withShared } from './cluster-status.js'
import { type Console, UsageError } from '../../clients/cli/console.js'
import { keyOf, usingLog } from './open-log.js'
import { checkAdmission } from '../cluster/members/admission.js'
import { withSender } from './cluster-sender.js'
import { probe } from '../cluster/members/reachability.js'

/** Returns a sentence for each member that this machine does not reach. @throws SettingsError */
const unreachableFrom = (settings: Settings, members: readonly Member[]): Promise<readonly string[]> =>
  withSender(settings, async (sender, timers) => {
    const faults = await Promise.all(members.map(member => probe(sender, member, timers)))
    return members.flatMap(({ name, address }, at) =>
      faults[at] === undefined ? [] : [`this server does not reach ${name} at ${address}: ${faults[at]}`]
    )
  })

/** Checks that a server may join and reaches the others. The opposite direction is checked after the start. @throws JoinRefused; SharedUnreachable */
const checkJoin = async (settings: Settings, shared: SharedLog): Promise<void> => {
  await checkAdmission(settings, shared)
  const { live } = await shared.members()
  const others = live.filter(({ id }) => id !== settings.node_id)
  const faults = await unreachableFrom(settings, others)
  if (faults.length > 0) throw new JoinRefused(faults.join('; '))
}

/**
 * Checks that the configured server can join, and prepares its folder if it has no log yet.
 * @throws UsageError SharedUnreachable LogUnusable; JoinRefused if it may not join or does not reach another server
 */
export const clusterJoin = (settings: Settings, { out }: Console): Promise<void> =>
  withShared(settings, async shared => {
    if (!settings.cluster.enabled)
      throw new UsageError('the server would not take part: set cluster.enabled in its configuration')
    await checkJoin(settings, shared)
    const foundation = await shared.clusterSeed()
    out.write(
      foundation
        ? await joining(settings, shared, foundation)
        : `There is no cluster under ${settings.cluster.etcd.prefix} yet: the start of this server founds it, with the log of ${settings.data_dir}.\n`
    )
  })

/** Returns what a start would do. @throws LogUnusable if it would fail */
const joining = async (settings: Settings, shared: SharedLog, foundation: ClusterSeed): Promise<string> => {
  const path = logFolder(settings.data_dir)
  const { prepareLogFolder } = await import('../../events/log/cluster/cluster-identity.js')
  keepNodeId(settings)
  await prepareLogFolder(path, foundation)
  // Opening the log also checks the key.
  return usingLog({ path, key: keyOf(settings), begunAs: foundation.log }, async log => {
    const { verifySharedLog } = await import('../../events/log/cluster/log-follower.js')
    const { head } = await verifySharedLog(log, shared)
    const missing = head.index - log.durableIndex
    return `This server can join: it has ${log.durableIndex} of ${head.index} commits, and gets ${missing} from the others when it starts.\n`
  })
}

/** The ID or the name of a server. */
export interface Leaving {
  readonly id?: string
  readonly name?: string
}

/**
 * Removes a server, and with a managed etcd its member.
 * @throws UsageError if it is unknown or still live; EtcdFailure if etcd would lose its majority; SharedUnreachable
 */
export const clusterLeave = (
  settings: Settings,
  { out }: Console,
  { name, id = name === undefined ? settings.node_id : undefined }: Leaving
): Promise<void> =>
  withShared(settings, async shared => {
    const isMeant = (member: Pick<Member, 'id' | 'name'>): boolean => member.id === id || member.name === name
    const { live, joined } = await shared.members()
    const running = live.find(isMeant)
    if (running) throw new UsageError(`${running.name} is still there: stop it before it leaves the cluster`)
    const known = joined.find(isMeant)
    const memberName = known?.name ?? name
    const hadMember = memberName !== undefined && (await removeMember(settings, memberName))
    if (!known && !hadMember)
      throw new UsageError(
        `no server of the cluster has the ${name === undefined ? `node ID ${id}` : `name ${name}`}: see annals cluster status`
      )
    if (known) await shared.forget(known.id)
    out.write(`${memberName} is forgotten${hadMember ? ', and its member of etcd is removed' : ''}.\n`)
  })

/** Removes the member of a machine from a managed etcd. @returns false if there is none. @throws UsageError EtcdFailure */
const removeMember = async (settings: Settings, name: string): Promise<boolean> => {
  if (!settings.cluster.etcd.managed) return false
  const { withEtcd } = await import('../cluster/etcd/etcd-connection.js')
  const { EtcdProcess } = await import('../cluster/etcd/etcd-process.js')
  const isRemoved = await withEtcd(settings, async etcd => {
    const members = await etcd.members()
    const found = members.find(member => member.name === name || member.ID === name)
    if (!found) return false
    if (members.length === 1)
      throw new UsageError(`${name} has the only member of etcd: without it there is no cluster`)
    await etcd.remove(found.ID)
    return true
  })
  if (isRemoved && name === settings.node_name) await new EtcdProcess(settings).stop()
  return isRemoved
}
