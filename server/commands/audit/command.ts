// `annals audit` on a server, and its reports from the files of a log.
import 'reflect-metadata'
import type { Command } from 'commander'
import { UsageError, verifyOrFail, type Console } from '../../../clients/cli/console.js'
import { audit } from '../../../clients/cli/events/audit.js'
import { examplesText } from '../../../clients/cli/remote/command.js'
import { append, parseBound, serverCommands, withTrustedInputs, type Bound } from '../log-options.js'
import type { TrustedInputOptions } from '../evidence/trusted-inputs.js'

interface ReportOptions {
  readonly output: string
  readonly from?: Bound
  readonly to?: Bound
  readonly accessor?: string
  readonly namespace?: string
  readonly topic?: string
  readonly resource?: string
  readonly complete?: true
  readonly checkpoint?: readonly string[]
}

/** Returns topic and key. @throws UsageError */
function selectedResource({ topic, resource }: ReportOptions): { topic?: string; key?: string } {
  if (resource === undefined) return topic === undefined ? {} : { topic }
  if (topic !== undefined) throw new UsageError('--resource names its topic: leave out --topic')
  const at = resource.indexOf(':')
  if (at < 1 || at === resource.length - 1)
    throw new UsageError(
      `invalid --resource ${JSON.stringify(resource)}: it must be TOPIC:KEY, such as KV:web/port`
    )
  return { topic: resource.slice(0, at), key: resource.slice(at + 1) }
}

const buildReport = (command: Command, console: Console): void => {
  serverCommands(command, console)<ReportOptions>(
    'report',
    'Write a report of changes: time, command, caller, reason and address, each with its proof. `annals audit verify` verifies the file on any\nmachine. The command reads the data folder up to the newest signed checkpoint. Denied attempts and last uses of tokens are shown as not proved.',
    async (settings, options) => {
      const { from, to, accessor, namespace, complete, checkpoint, output } = options
      const { topic, key } = selectedResource(options)
      const { writeReport } = await import('./report.js')
      await writeReport(settings, console, output, {
        from,
        to,
        topic,
        key,
        accessor,
        namespace,
        isComplete: complete === true,
        checkpoints: checkpoint ?? []
      })
    },
    verifyOrFail
  )
    .requiredOption('-o, --output <file>', 'file of the report: a page (.html) or JSON (.json)')
    .option('--from <index|time>', 'first commit (default: the oldest retained)', parseBound)
    .option('--to <index|time>', 'last commit (default: the newest)', parseBound)
    .option('--accessor <id>', 'only commits of this token')
    .option('--namespace <name>', 'only events in this namespace')
    .option('--topic <topic>', 'only events of this topic, such as ACLToken')
    .option('--resource <topic:key>', 'only events about this resource, such as KV:web/port')
    .option(
      '--complete',
      'prove that no selected commit is missing, with the authors and event heads of all other commits'
    )
    .option(
      '--checkpoint <file|url>',
      'an earlier checkpoint: the report proves that the log still begins with its commits (repeatable)',
      append
    )
    .addHelpText(
      'after',
      examplesText([
        'annals audit report --data-dir ./data --from 2026-11-01 --to 2026-12-01 -o november.html'
      ])
    )
}

const buildVerify = (command: Command, console: Console): void => {
  withTrustedInputs(command.command('verify'))
    .description(
      'Verify a report: the signature of its checkpoint, the proof of each commit, and each line by its evidence. You need the public key of the\nlog. The exit code is 0 if all checks succeed, 1 if one fails, and 2 if the report cannot be verified.'
    )
    .argument('<file>', 'file of the report')
    .addHelpText('after', examplesText(['annals audit verify november.html --key "$(cat log.vkey)"']))
    .action((file: string, outside: TrustedInputOptions) =>
      verifyOrFail(async () => (await import('./report.js')).verifyReport(console, file, outside))
    )
}

export const buildAudit = (command: Command, console: Console): void => {
  audit(command, console)
  // Options of the same name belong to the command that they follow.
  command.enablePositionalOptions()
  buildReport(command, console)
  buildVerify(command, console)
}
