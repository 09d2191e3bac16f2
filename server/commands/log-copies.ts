// `annals log backup|restore|repair|export|import`: copies a log, or converts it to lines of JSON and back.
import type { Command } from 'commander'
import { parseBound, type Bound } from './bounds.js'
import { verifyOrFail, UsageError, type Console } from '../../clients/cli/console.js'
import { append, parseIndex, settingsOf, withSource, type SourceOptions } from './log-options.js'

interface RestoreOptions extends SourceOptions {
  readonly until?: Bound
}

interface ExportOptions extends SourceOptions {
  readonly from?: Bound
  readonly to?: Bound
  readonly withSecrets?: true
  readonly evidence?: true
  readonly topic?: string
  readonly key?: string
  readonly checkpoint?: readonly string[]
}

interface RepairOptions extends SourceOptions {
  readonly to: number
  readonly yes?: true
}

const parseEnd = (text: string): number => (text === '0' ? 0 : parseIndex(text))

export const buildCopies = (command: Command, console: Console): void => {
  withSource(command.command('backup'))
    .description(
      'Copy the log to a folder, beside the server that writes it: all that is durable now, nothing that is not. The copy is verified from\nend to end. A folder with an older backup of the same log is brought up to date; any other must be empty. `annals log verify\n--data-dir FOLDER` verifies a backup at any time. The key of encrypted secrets (encryption.key) is not in it.'
    )
    .argument('<folder>', 'where the backup goes')
    .action(async (folder: string, options: SourceOptions) => {
      const settings = await settingsOf(options, console)
      const { logBackup } = await import('./log-backup.js')
      await logBackup(settings, console, folder)
    })
  withSource(command.command('restore'))
    .description(
      'Make a data folder of a backup. The folder must be empty or new. The log goes on under a new incarnation, whose first commit names\nthe newest commit of the backup.'
    )
    .argument('<backup>', 'folder that `annals log backup` has written')
    .option(
      '--until <index|time>',
      'leave out all commits after this index, or after this time (RFC 3339)',
      parseBound
    )
    .action(async (backup: string, { until, ...options }: RestoreOptions) => {
      const settings = await settingsOf(options, console)
      const { logRestore } = await import('./log-restore.js')
      await logRestore(settings, console, { backup, until })
    })
  withSource(command.command('export'))
    .description(
      'Write commits as lines of JSON: the messages of the event stream, {"Index":N,"Events":[…]}, with time and origin. The first line\ntells what log it is of; the last one has the number of commits and the SHA-256 of all lines before it.\nWith --evidence each commit comes with what proves that it is in the log as it was signed: `annals evidence verify` checks that on any\nmachine, with the public key of the log alone. Secrets are never in evidence.'
    )
    .option('--from <index|time>', 'first commit (default: the oldest that is kept)', parseBound)
    .option('--to <index|time>', 'last commit (default: the newest)', parseBound)
    .option(
      '--with-secrets',
      'with the secrets of tokens and the like: only such a file can be imported. Keep it safe'
    )
    .option('--evidence', 'a bundle of evidence, up to the newest checkpoint that is signed')
    .option('--topic <topic>', 'evidence of events of this topic alone, such as ACLToken')
    .option('--key <key>', 'evidence of events about this key alone')
    .option(
      '--checkpoint <file|url>',
      'a checkpoint that somebody kept: the evidence proves that the log still begins with its commits (repeatable)',
      append
    )
    .action(({ from, to, withSecrets, evidence, topic, key, checkpoint, ...options }: ExportOptions) =>
      verifyOrFail(async () => {
        const settings = await settingsOf(options, console)
        if (evidence) {
          if (withSecrets) throw new UsageError('secrets are never in evidence: leave out --with-secrets')
          const { exportEvidence } = await import('./evidence/export.js')
          return exportEvidence(settings, console, { from, to, topic, key, checkpoints: checkpoint ?? [] })
        }
        if (topic !== undefined || key !== undefined || checkpoint !== undefined)
          throw new UsageError('--topic, --key and --checkpoint are for --evidence')
        const { logExport } = await import('./log-export.js')
        return logExport(settings, console, { from, to, withSecrets: withSecrets === true })
      })
    )
  withSource(command.command('import'))
    .description(
      'Make a log of an export with secrets, in a data folder that is empty or new. The commits keep their indexes and times; the log is a\nnew one, with an ID of its own. Everything is read back and compared.'
    )
    .argument('<file>', 'file that `annals log export --with-secrets` has written; - for standard input')
    .action(async (file: string, options: SourceOptions) => {
      const settings = await settingsOf(options, console)
      const { logImport } = await import('./log-import.js')
      await logImport(settings, console, file)
    })
  withSource(command.command('repair'))
    .description(
      'Cut off all commits after an index, also where damage keeps the log from being opened: the only way to do so. Says what is lost, and\nkeeps a copy of it in DATA_DIR/log/cut. The log goes on under a new incarnation. Not while a server runs.'
    )
    .requiredOption('--to <index>', 'the last commit that is kept', parseEnd)
    .option('--yes', 'do not ask')
    .action(async ({ to, yes, ...options }: RepairOptions) => {
      const settings = await settingsOf(options, console)
      const { logRepair } = await import('./log-repair.js')
      await logRepair(settings, console, { to, isSure: yes === true })
    })
}
