// Commands for operators of a managed etcd.
import { UsageError, type Console } from '../../clients/cli/console.js'
import { confirm } from '../../clients/cli/terminal.js'
import { withEtcd } from '../cluster/etcd/etcd-connection.js'
import { findEtcd } from '../cluster/etcd/etcd-program.js'
import { writeMemberList } from '../cluster/etcd/member-list.js'
import { requireEtcd } from './cluster-status.js'
import { checkPort, untilDone } from './cluster-machine.js'
import { EtcdProcess } from '../cluster/etcd/etcd-process.js'
import type { Settings } from '../settings/settings.js'

/** @throws UsageError if this machine has no managed member of etcd */
export const requireManaged = ({ cluster }: Settings): void => {
  if (!cluster.etcd.managed)
    throw new UsageError(
      'this server has no managed member of etcd (cluster.etcd.managed): annals cluster status shows the servers with one'
    )
}

/** @throws UsageError while the server runs, which would start the member again */
const requireStopped = ({ addresses, ports }: Settings): Promise<void> =>
  checkPort(addresses.https, ports.https, 'the server still runs: stop it first. HTTPS')

/** Stops the member of this machine. @throws UsageError */
export const stopMember = async (settings: Settings, { out }: Console): Promise<void> => {
  requireManaged(settings)
  await requireStopped(settings)
  const wasRunning = await new EtcdProcess(settings).stop()
  out.write(wasRunning ? 'The member of etcd is stopped.\n' : 'No member of etcd runs here.\n')
}

/** Defragments all members, one after another, and clears space alarms. @throws UsageError EtcdFailure */
export const defragment = async (settings: Settings, { out }: Console): Promise<void> => {
  requireEtcd(settings)
  await withEtcd(settings, async etcd => {
    for (const { member, status, fault } of await etcd.observe()) {
      const name = member.name ?? member.ID
      if (!status) {
        out.write(`${name} is left out: ${fault}\n`)
        continue
      }
      await etcd.defragment(member)
      out.write(`${name}: ${status.dbSizeInUse ?? 0} of ${status.dbSize ?? 0} bytes were in use\n`)
    }
    const cleared = await etcd.disarm()
    if (cleared.length > 0) out.write(`${cleared.length} alarms were cleared.\n`)
  })
}

/** Makes the member of this machine the only one. @throws UsageError; Failed if it does not start */
export const restoreQuorum = async (settings: Settings, console: Console, isSure: boolean): Promise<void> => {
  requireManaged(settings)
  const { out } = console
  const etcd = new EtcdProcess(settings)
  if (!etcd.hasData) throw new UsageError('this machine has no data of etcd: run this on another one')
  await requireStopped(settings)
  out.write(
    `${settings.node_name} will have the only member of etcd. Commits that only lost members have are lost to etcd: if a server has them, use annals cluster restore-head there afterwards.\n`
  )
  if (!isSure && !(await confirm(console, 'Remove all other members?'))) {
    out.write('Nothing was changed.\n')
    return
  }
  const version = await findEtcd()
  await etcd.stop()
  const { node_name: name } = settings
  const { client_url: client = '', peer_url: peer = '' } = settings.cluster.etcd
  writeMemberList(settings, [{ name, peer, client }])
  for (const more of [['--force-new-cluster'], []]) {
    await etcd.stop()
    await etcd.start(version, more)
    await untilDone('etcd does not answer', etcd, () => withEtcd(settings, admin => admin.members()))
  }
  out.write(
    `Done: start the server with annals serve. Remove each lost server with annals cluster leave --name NAME, and replace it with annals cluster token.\n`
  )
}
