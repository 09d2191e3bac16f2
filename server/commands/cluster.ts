// `annals cluster status|join|leave|restore-head`.
import 'reflect-metadata'
import type { Command } from 'commander'
import type { Console } from '../../clients/cli/console.js'
import { settingsOf, withSource, type SourceOptions } from './log-options.js'

interface StatusOptions extends SourceOptions {
  readonly json?: true
}

interface LeaveOptions extends SourceOptions {
  readonly id?: string
}

interface RestoreOptions extends SourceOptions {
  readonly yes?: true
}

const ABOUT = `Several servers share one log through etcd (docs/cluster.md). These commands take the configuration of one of them: --config names
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
  withSource(command.command('status'))
    .description('Print the servers of the cluster, who leads, and the commits that etcd holds.')
    .option('--json', 'as one line of JSON')
    .action(async (options: StatusOptions) => {
      const settings = await settingsOf(options, console)
      const { clusterStatus } = await import('./cluster-status.js')
      await clusterStatus(settings, console, options.json === true)
    })
  withSource(command.command('join'))
    .description(
      'Check that a server can join the cluster: etcd is there, the key is the right one, and the log of the data folder is that of the\ncluster. An empty folder is made ready. A start with cluster.enabled does the same.'
    )
    .action(async (options: SourceOptions) => {
      const settings = await settingsOf(options, console)
      const { clusterJoin } = await import('./cluster-membership.js')
      await clusterJoin(settings, console)
    })
  withSource(command.command('leave'))
    .description(
      'Forget a server that was stopped and will not come back, so that nothing is kept in etcd for it and its node is removed.'
    )
    .option('--id <id>', 'ID of the server’s own node (default: node_id of the configuration)')
    .action(async (options: LeaveOptions) => {
      const settings = await settingsOf(options, console)
      const { clusterLeave } = await import('./cluster-membership.js')
      await clusterLeave(settings, console, options.id ?? settings.node_id)
    })
  withSource(command.command('restore-head'))
    .description(
      'Create the cluster again from the log of this data folder, after etcd was lost or was put back from a backup that lacks commits. Use the\nserver that has the newest commit: what only others have is lost. The other servers compare, and follow.'
    )
    .option('--yes', 'do not ask')
    .action(async (options: RestoreOptions) => {
      const settings = await settingsOf(options, console)
      const { restoreHead } = await import('./cluster-restore.js')
      await restoreHead(settings, console, options.yes === true)
    })
}
