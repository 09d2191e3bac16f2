import 'reflect-metadata'
import type { Command } from 'commander'
import { verifyOrFail, UsageError, type Console } from '../../clients/cli/console.js'
import type { TrustedInputOptions } from './evidence/trusted-inputs.js'
import { buildPublish } from './log-publish.js'
import {
  append,
  indexFrom,
  indexUntil,
  parseBound,
  parseIndex,
  periodOption,
  serverCommands,
  serverReads,
  withExamples,
  withTrustedInputs,
  type Bound
} from './log-options.js'
import type { Commit } from '../../events/envelope.js'

interface Selection {
  readonly to: number
  readonly topic?: string
  readonly key?: string
}

/** Yields the commits with matching events, and only these events. Topics ignore letter case. Reads no further than `to`. */
async function* selectCommits(
  commits: AsyncIterable<Commit>,
  { to, topic, key }: Selection
): AsyncGenerator<Commit> {
  for await (const commit of commits) {
    if (commit.Index > to) return
    const events = commit.Events.filter(
      event =>
        (topic === undefined || event.Topic.toLowerCase() === topic.toLowerCase()) &&
        (key === undefined || event.Key === key)
    )
    if (events.length > 0 || (topic === undefined && key === undefined)) yield { ...commit, Events: events }
  }
}

interface ExportOptions {
  readonly from?: Bound
  readonly to?: Bound
  readonly withSecrets?: true
  readonly evidence?: true
  readonly topic?: string
  readonly key?: string
  readonly checkpoint?: readonly string[]
}

const parseEnd = (text: string): number => (text === '0' ? 0 : parseIndex(text))

const buildCopies = (command: Command, console: Console): void => {
  const add = serverCommands(command, console)
  add(
    'backup',
    'Copy the durable commits of the log to a folder, also while a server runs, and verify the copy. A folder with an older backup of the\nsame log is updated. Any other folder must be empty. `annals log verify --data-dir FOLDER` verifies a backup at any time. The backup\ndoes not contain the key of encrypted secrets (encryption.key).',
    async (settings, _, folder) => (await import('./log-backup.js')).logBackup(settings, console, folder)
  ).argument('<folder>', 'folder of the backup')
  add<{ readonly until?: Bound }>(
    'restore',
    'Restore a data folder from a backup. The folder must be empty or new. The log continues under a new incarnation, whose first commit\nnames the newest commit of the backup.',
    async (settings, { until }, backup) =>
      (await import('./log-restore.js')).logRestore(settings, console, { backup, until })
  )
    .argument('<backup>', 'folder of a backup by `annals log backup`')
    .option('--until <index|time>', 'omit all commits after this index or time', parseBound)
  add(
    'export',
    'Write commits as lines of JSON. These are the messages of the event stream, {"Index":N,"Events":[…]}, with time and origin. The first line\nidentifies the log. The last line has the number of commits and the SHA-256 of all lines before it.\nWith --evidence each commit has a proof that it is in the signed log. `annals evidence verify` verifies it on any machine with the\npublic key of the log only. Evidence never contains secrets.',
    async (settings, { from, to, withSecrets, evidence, topic, key, checkpoint }: ExportOptions) => {
      if (evidence) {
        if (withSecrets)
          throw new UsageError(
            '--with-secrets and --evidence exclude each other: evidence contains no secrets'
          )
        const { exportEvidence } = await import('./evidence/export.js')
        return exportEvidence(settings, console, { from, to, topic, key, checkpoints: checkpoint ?? [] })
      }
      if (topic !== undefined || key !== undefined || checkpoint !== undefined)
        throw new UsageError('--topic, --key and --checkpoint need --evidence')
      const { logExport } = await import('./log-export.js')
      return logExport(settings, console, { from, to, withSecrets: withSecrets === true })
    },
    verifyOrFail
  )
    .option('--from <index|time>', 'first commit (default: the oldest retained)', parseBound)
    .option('--to <index|time>', 'last commit (default: the newest)', parseBound)
    .option(
      '--with-secrets',
      'include secrets, such as those of tokens. Only such a file can be imported. Keep it safe'
    )
    .option('--evidence', 'write a bundle of evidence, up to the newest signed checkpoint')
    .option('--topic <topic>', 'only evidence of events of this topic, such as ACLToken')
    .option('--key <key>', 'only evidence of events about this key')
    .option(
      '--checkpoint <file|url>',
      'an earlier checkpoint: the evidence proves that the log still begins with its commits (repeatable)',
      append
    )
  add(
    'import',
    'Import an export with secrets into an empty or new data folder. The commits keep their indexes and times. The new log has its own ID.\nThe command reads everything back and compares it.',
    async (settings, _, file) => (await import('./log-import.js')).logImport(settings, console, file)
  ).argument('<file>', 'file of `annals log export --with-secrets`; - for standard input')
  add<{ readonly to: number; readonly yes?: boolean }>(
    'repair',
    'Remove all commits after an index, also from a damaged log that no server can open. The command lists the lost commits, and stores a\ncopy of them in DATA_DIR/log/cut. The log continues under a new incarnation. Stop the server first.',
    async (settings, { to, yes = false }) =>
      (await import('./log-repair.js')).logRepair(settings, console, { to, isSure: yes })
  )
    .requiredOption('--to <index>', 'last commit to keep', parseEnd)
    .option('--yes', 'skip the confirmation')
}

interface WatchCommandOptions {
  readonly servers: string
  readonly key?: readonly string[]
  readonly interval: number
  readonly once?: true
}

const buildWatch = (command: Command, console: Console): void => {
  command
    .command('watch')
    .description(
      'Compare the signed checkpoints of servers and replicas until they differ, or until Ctrl-C. Two signed trees that differ are the proof\nthat the log shows different commits to different readers. At different sizes, the tiles of the larger one prove it. The command prints\nboth checkpoints, and ends with exit code 1.'
    )
    .requiredOption('--servers <addresses>', 'addresses of the servers, separated by commas')
    .option('--key <vkey>', 'public key of the log, from GET /v1/event/checkpoint/key (repeatable)', append)
    .addOption(periodOption('--interval <duration>', 'time between two comparisons', 10_000, '10s'))
    .option('--once', 'compare once; a server that does not answer is an error')
    .action(async ({ servers, key = [], interval, once }: WatchCommandOptions) => {
      const { watchServers } = await import('./evidence/watch-servers.js')
      const options = { servers: servers.split(','), key, intervalMs: interval, isOnce: once === true }
      await verifyOrFail(() => watchServers(console, options))
    })
}

interface ShowOptions extends Omit<Selection, 'to'> {
  readonly from?: Bound
  readonly to?: Bound
}

interface VerifyOptions extends TrustedInputOptions {
  readonly replay?: boolean
}

const ABOUT = `The log in DATA_DIR/log is the only state of a server: one commit for each command that changed something, numbered 1, 2, 3 …
Only repair changes a log, and only import and restore create one. The other commands read it, also while a server runs. Output never
contains secrets, except for exports with --with-secrets.`

const EXAMPLES = [
  'annals log show --data-dir ./data --from 100 --to 120',
  'annals log show --topic ACLToken --key 5ec51e41-9583-2bf5-eed4-3bfcbffede4f',
  'annals log snapshot --data-dir ./data',
  'annals log verify --data-dir ./data',
  'annals log verify --config annals.json --key "$(cat log.vkey)" --checkpoint old-checkpoint.txt',
  'annals log test /backups/annals --record ./recorded   with the running version',
  'annals log test /backups/annals --against ./recorded  with the next version',
  'annals log watch --servers http://10.0.0.1:8500,http://10.0.0.2:8500 --key "$(cat log.vkey)"',
  'annals log backup /backups/annals --data-dir ./data',
  'annals log restore /backups/annals --data-dir ./new --until 2026-11-21T08:00:00Z',
  'annals log export --config annals.json > history.ndjson',
  'annals log export --data-dir ./data --with-secrets > log.ndjson',
  'annals log import log.ndjson --data-dir ./new',
  'annals log repair --data-dir ./data --to 1200'
]

export const buildLog = (command: Command, console: Console): void => {
  command.description(ABOUT)
  const add = serverCommands(command, console)
  serverReads(command, console)(
    'show',
    'Print commits with index, time, command and caller, and the type and key of each event. JSON and YAML include the payloads. JSON has a line for each commit.',
    async (settings, { from, to, ...selection }: ShowOptions, out) => {
      const [{ withLog }, texts] = await Promise.all([import('./open-log.js'), import('./commit-text.js')])
      await withLog(settings, { withSecrets: false }, async log => {
        const first = from ? await indexFrom(log, from) : log.firstIndex
        const last = to ? await indexUntil(log, to) : Infinity
        await texts.printCommits(selectCommits(log.read(first), { ...selection, to: last }), out)
      })
    }
  )
    .option('--from <index|time>', 'first commit (default: the oldest retained)', parseBound)
    .option('--to <index|time>', 'last commit (default: the newest)', parseBound)
    .option('--topic <topic>', 'only events of this topic, such as ACLToken')
    .option('--key <key>', 'only events about this key')
  add(
    'snapshot',
    'Write a snapshot of the state, also while a server runs. A start reads the newest snapshot and replays only later commits. Servers\nwrite snapshots themselves (snapshot.commits).',
    async settings => (await import('./log-snapshot.js')).logSnapshot(settings, console)
  )
  withTrustedInputs(
    add(
      'verify',
      'Verify the log, and print the result of each check. Checks within the log: the digests of every commit, the hash chain, and the Merkle\ntree. They find all damage, and each change by someone who did not recompute all hashes. Checks against your own\ninputs (--checkpoint, --key, --witness, --pinned) also find rewritten logs. Encrypted secrets are verified if their key is configured.\nThe exit code is 0 if all checks succeed, 1 if one fails, and 2 if the log cannot be verified.',
      async (settings, { replay = false, ...outside }: VerifyOptions) =>
        (await import('./verify-log.js')).logVerify(settings, console, { withReplay: replay, outside }),
      verifyOrFail
    )
  )
    .option(
      '--replay',
      'also replay the log, and compare the state with each snapshot and with the digest of the last shutdown'
    )
    .option('--pinned <hash@index>', 'earlier hash of a commit, in hex (repeatable)', append)
  add<{ readonly record?: string; readonly against?: string }>(
    'test',
    'Replay a log with this version through the state machines, and compare its state with the recording of another version. Use it before an upgrade. Secrets are not recorded. The exit code is 0 if both are equal, 1 if a commit is impossible or a resource differs, and 2 if they\ncannot be compared.',
    async (settings, { record, against }, folder) => {
      const { logTest } = await import('./log-test.js')
      await logTest({ ...settings, data_dir: folder || settings.data_dir }, console, { record, against })
    },
    verifyOrFail
  )
    .argument('[folder]', 'data folder, or a backup by `annals log backup`')
    .option('--record <dir>', 'write what this version makes of the log to a folder')
    .option('--against <dir>', 'compare with the recording in a folder')
  buildWatch(command, console)
  buildPublish(command.command('publish'), console)
  buildCopies(command, console)
  withExamples(command, EXAMPLES)
}
