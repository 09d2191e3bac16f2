// `annals log backup|restore|repair|export|import`: copies a log, or converts it to lines of JSON and back.
import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { parseTime } from '../../events/time.js'
import type { Console } from './console.js'
import {
  parseIndex,
  settingsOf,
  withRange,
  withSource,
  type RangeOptions,
  type SourceOptions
} from './log-options.js'
import type { Until } from './log-restore.js'

interface RestoreOptions extends SourceOptions {
  readonly until?: Until
}

interface ExportOptions extends RangeOptions {
  readonly withSecrets?: true
}

interface RepairOptions extends SourceOptions {
  readonly to: number
  readonly yes?: true
}

const parseUntil = (text: string): Until => {
  const time = parseTime(text)
  if (time !== undefined) return { time }
  if (/^[1-9]\d{0,14}$/.test(text)) return { index: Number(text) }
  throw new InvalidArgumentError('It is an index, or a time such as 2026-11-21T08:05:50Z.')
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
      parseUntil
    )
    .action(async (backup: string, { until, ...options }: RestoreOptions) => {
      const settings = await settingsOf(options, console)
      const { logRestore } = await import('./log-restore.js')
      await logRestore(settings, console, { backup, until })
    })
  withRange(command.command('export'))
    .description(
      'Write commits as lines of JSON: the messages of the event stream, {"Index":N,"Events":[…]}, with time and origin. The first line\ntells what log it is of; the last one has the number of commits and the SHA-256 of all lines before it.'
    )
    .option(
      '--with-secrets',
      'with the secrets of tokens and the like: only such a file can be imported. Keep it safe'
    )
    .action(async ({ from, to, withSecrets, ...options }: ExportOptions) => {
      const settings = await settingsOf(options, console)
      const { logExport } = await import('./log-export.js')
      await logExport(settings, console, { from, to, withSecrets: withSecrets === true })
    })
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
