import 'reflect-metadata'
import type { Command } from 'commander'
import type { Console } from '../../clients/cli/console.js'
import { serverCommands, serverReads } from './log-options.js'

const ABOUT = `The servers of a cluster share one log through etcd (docs/reference/cluster.md). These commands read the configuration of one server
(--config), whose cluster.etcd has the address of etcd.`

const EXAMPLES = `
Examples:
  annals cluster status --config annals.json          roles and newest commits of the servers
  annals cluster join --config annals.json            prepares an empty data folder
  annals cluster leave --config annals.json           removes this server, which is stopped
  annals cluster leave --id 5ec51e41-… --config annals.json   removes another server
  annals cluster restore-head --config annals.json    recreates the cluster after the loss of etcd`

export const buildCluster = (command: Command, console: Console): void => {
  command.description(ABOUT).addHelpText('after', EXAMPLES)
  const add = serverCommands(command, console)
  serverReads(command, console)(
    'status',
    'Print the servers of the cluster, the leader, and the commits in etcd.',
    async (settings, _, out) => (await import('./cluster-status.js')).clusterStatus(settings, out)
  )
  add(
    'join',
    'Check that a server can join the cluster: etcd answers, the key is correct, and the data folder has the log of the cluster. An empty\nfolder is prepared. A start with cluster.enabled does the same.',
    async settings => (await import('./cluster-membership.js')).clusterJoin(settings, console)
  )
  add<{ readonly id?: string }>(
    'leave',
    'Remove a stopped server for good. etcd no longer retains commits for it, and its node is deregistered.',
    async (settings, { id = settings.node_id }) =>
      (await import('./cluster-membership.js')).clusterLeave(settings, console, id)
  ).option('--id <id>', 'node ID of the server (default: node_id of the configuration)')
  add<{ readonly yes?: boolean }>(
    'restore-head',
    'Recreate the cluster from the log of this data folder, after etcd was lost or restored from an older backup. Use the server with the\nnewest commit: commits that only other servers have are lost. The other servers compare their logs and follow.',
    async (settings, { yes = false }) =>
      (await import('./cluster-restore.js')).restoreHead(settings, console, yes)
  ).option('--yes', 'skip the confirmation')
}
