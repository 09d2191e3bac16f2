import 'reflect-metadata'
import type { Command } from 'commander'
import type { Console } from '../../clients/cli/console.js'
import { serverCommands } from './log-options.js'

const ABOUT = `Several servers share one log through etcd (docs/reference/cluster.md). These commands take the configuration of one of them: --config names
it, and cluster.etcd in it says where etcd is.`

const EXAMPLES = `
Examples:
  annals cluster status --config annals.json          who leads, who follows, and how far each has got
  annals cluster join --config annals.json            makes an empty data folder ready, and says what a start would do
  annals cluster leave --config annals.json           forgets this server, which has been stopped
  annals cluster leave --id 5ec51e41-… --config annals.json   forgets another one, that will not come back
  annals cluster restore-head --config annals.json    creates the cluster again from this server's log, after etcd was lost`

export const buildCluster = (command: Command, console: Console): void => {
  command.description(ABOUT).addHelpText('after', EXAMPLES)
  const add = serverCommands(command, console)
  add<{ readonly json?: boolean }>(
    'status',
    'Print the servers of the cluster, who leads, and the commits that etcd holds.',
    async (settings, { json = false }) =>
      (await import('./cluster-status.js')).clusterStatus(settings, console, json)
  ).option('--json', 'as one line of JSON')
  add(
    'join',
    'Check that a server can join the cluster. etcd must answer, the key must be the right one, and the log of the data folder must be\nthat of the cluster. An empty folder is made ready. A start with cluster.enabled does the same.',
    async settings => (await import('./cluster-membership.js')).clusterJoin(settings, console)
  )
  add<{ readonly id?: string }>(
    'leave',
    'Forget a server that was stopped and will not come back, so that nothing is kept in etcd for it and its node is removed.',
    async (settings, { id = settings.node_id }) =>
      (await import('./cluster-membership.js')).clusterLeave(settings, console, id)
  ).option('--id <id>', 'ID of the server’s own node (default: node_id of the configuration)')
  add<{ readonly yes?: boolean }>(
    'restore-head',
    'Create the cluster again from the log of this data folder, after etcd was lost or was put back from a backup that lacks commits. Use the\nserver that has the newest commit: what only others have is lost. The other servers compare, and follow.',
    async (settings, { yes = false }) =>
      (await import('./cluster-restore.js')).restoreHead(settings, console, yes)
  ).option('--yes', 'do not ask')
}
