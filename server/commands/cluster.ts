import 'reflect-metadata'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { type Console, UsageError } from '../../clients/cli/console.js'
import { periodOption, serverCommands, serverReads, withExamples } from './log-options.js'
import type { InitOptions } from './cluster-init.js'
import type { Leaving } from './cluster-membership.js'
import type { MachineOptions } from './cluster-machine.js'

const ABOUT = `The servers of a cluster share one log through etcd (docs/reference/cluster.md). These commands read the configuration of one server
(--config), whose cluster.etcd has the address of etcd.`

const EXAMPLES = [
  'annals cluster init                                 creates a cluster, and prints how others join',
  'annals cluster join annals-join.… 10.0.0.1:8501     on each further machine',
  'annals cluster join --config annals.json            prepares an empty data folder',
  'annals cluster status --config annals.json          roles and newest commits of the servers',
  'annals cluster token --config annals.json           prints how a further machine joins',
  'annals cluster stop --config annals.json            stops the managed member of etcd',
  'annals cluster leave --config annals.json           removes this server, which is stopped',
  'annals cluster leave --id 5ec51e41-… --config annals.json   removes another server',
  'annals cluster defragment --config annals.json      returns free space of etcd to the disk',
  'annals cluster restore-quorum --config annals.json  continues with the member of this machine',
  'annals cluster restore-head --config annals.json    recreates the cluster after the loss of etcd'
]

const MAX_PORT = 65535
const MAX_SERVERS = 64

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^-?\d{1,5}$/.test(text) ? Number(text) : NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`)
  }

const port = wholeNumber(1, MAX_PORT)

const withMachineOptions = (command: Command): Command =>
  command
    .option('--dir <folder>', 'folder to create, for configuration, keys and data', './annals')
    .option('--address <ip>', 'IP address by which the other machines reach this one (default: the only one)')
    .option('--name <name>', 'name of this machine (default: the host name)')
    .option('--http-port <port>', 'HTTP on 127.0.0.1; -1 turns it off', wholeNumber(-1, MAX_PORT), 8500)
    .option('--https-port <port>', 'HTTPS', port, 8501)
    .option('--dns-port <port>', 'DNS on 127.0.0.1; -1 turns it off', wholeNumber(-1, MAX_PORT), 8600)
    .option('--etcd-client-port <port>', 'member of etcd, for servers', port, 2379)
    .option('--etcd-peer-port <port>', 'member of etcd, for other members', port, 2380)
    .option('--prepare', 'do not run the server: annals serve starts it')

const HOUR_MS = 3_600_000

const tokenTtl = (): Option =>
  periodOption('--token-ttl <duration>', 'how long a join token is valid', HOUR_MS, '1h')

const buildInit = (command: Command, console: Console): void => {
  withMachineOptions(
    command
      .command('init')
      .description(
        'Create a cluster with this machine as its first server. It creates an authority, certificates and keys, starts a member of etcd\n(`etcd` 3.4 or newer from PATH), and prints a command for each further machine. Then it runs the server in the foreground.'
      )
  )
    .option('--datacenter <name>', 'name of the datacenter', 'dc1')
    .option('--encryption-key <file>', 'encryption.key of a backup to restore (default: a new key)')
    .option(
      '--servers <count>',
      'machines of the cluster, including this one',
      wholeNumber(1, MAX_SERVERS),
      3
    )
    .addOption(tokenTtl())
    .action(async (options: InitOptions) => (await import('./cluster-init.js')).clusterInit(options, console))
}

const buildJoin = (command: Command, console: Console): void => {
  withMachineOptions(
    command
      .command('join')
      .argument('[token]', 'join token, which annals cluster init prints; - reads it from the standard input')
      .argument('[address]', 'host and HTTPS port of a server of the cluster')
      .description(
        'With a token: prepare this machine, add its member of etcd, and run its server in the foreground. The private key stays here. The token\nis for one machine. After a failure the same command continues. The sixth machine and later ones get no member of etcd.\nWithout a token, for an external etcd: check that the server of --config can join, and prepare its empty data folder.'
      )
  )
    .option('--config <file>', 'without a token: configuration file of the server (ANNALS_CONFIG)')
    .option('--data-dir <folder>', 'without a token: data folder of the server (ANNALS_DATA_DIR)')
    .action(
      async (
        token: string | undefined,
        address: string | undefined,
        options: MachineOptions & { readonly config?: string; readonly dataDir?: string }
      ) => {
        if (token !== undefined && address === undefined)
          throw new UsageError('annals cluster join needs a token and the address of a server')
        if (token !== undefined && address !== undefined)
          return (await import('./cluster-join.js')).joinMachine([token, address], options, console)
        const { loadSettings } = await import('../settings/load.js')
        const { config: file, dataDir } = options
        const settings = loadSettings({ file, env: console.env, flags: { 'data-dir': dataDir } })
        return (await import('./cluster-membership.js')).clusterJoin(settings, console)
      }
    )
}

export const buildCluster = (command: Command, console: Console): void => {
  command.description(ABOUT)
  buildInit(command, console)
  buildJoin(command, console)
  const add = serverCommands(command, console)
  serverReads(command, console)(
    'status',
    'Print the servers of the cluster, the leader, and the commits in etcd.',
    async (settings, _, out) => (await import('./cluster-status.js')).clusterStatus(settings, out)
  )
  add<{ readonly tokenTtl: number }>(
    'token',
    'Print the command by which one further machine joins, such as a replacement of a lost one.',
    async (settings, options) => (await import('./cluster-init.js')).clusterToken(settings, console, options)
  ).addOption(tokenTtl())
  add(
    'stop',
    'Stop the managed member of etcd on this machine, whose server is stopped. The next start of the server starts it again.',
    async settings => (await import('./cluster-operations.js')).stopMember(settings, console)
  )
  add<Leaving>(
    'leave',
    'Remove a stopped or lost server for good, and its member of a managed etcd. etcd no longer retains commits for it, and its node is\nderegistered.',
    async (settings, leaving) =>
      (await import('./cluster-membership.js')).clusterLeave(settings, console, leaving)
  )
    .option('--id <id>', 'node ID of the server (default: node_id of the configuration)')
    .option('--name <name>', 'name of the server, or ID of a member of etcd that has never started')
  add(
    'defragment',
    'Return the free space of etcd to the disk, one member after another, and clear its space alarms.',
    async settings => (await import('./cluster-operations.js')).defragment(settings, console)
  )
  add<{ readonly yes?: boolean }>(
    'restore-quorum',
    'After the loss of most members of a managed etcd: continue with the member of this machine alone. Its server is stopped. All other\nmembers are removed, so their machines must join again with new folders.',
    async (settings, { yes = false }) =>
      (await import('./cluster-operations.js')).restoreQuorum(settings, console, yes)
  ).option('--yes', 'skip the confirmation')
  add<{ readonly yes?: boolean }>(
    'restore-head',
    'Recreate the cluster from the log of this data folder, after etcd was lost or restored from an older backup. Use the server with the\nnewest commit: commits that only other servers have are lost. The other servers compare their logs and follow.',
    async (settings, { yes = false }) =>
      (await import('./cluster-restore.js')).restoreHead(settings, console, yes)
  ).option('--yes', 'skip the confirmation')
  withExamples(command, EXAMPLES)
}
