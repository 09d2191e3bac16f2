import 'reflect-metadata'
import type { Command } from 'commander'
import { verifyOrFail, writeLines, UsageError, type Console } from '../../clients/cli/console.js'
import type { TrustedInputOptions } from './evidence/trusted-inputs.js'
import {
  append,
  indexFrom,
  indexUntil,
  parseBound,
  parseIndex,
  serverCommands,
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
    'Copy the log to a folder, beside the server that writes it: all that is durable now, nothing that is not. The copy is verified from\nend to end. A folder with an older backup of the same log is brought up to date; any other must be empty. `annals log verify\n--data-dir FOLDER` verifies a backup at any time. The key of encrypted secrets (encryption.key) is not in it.',
    async (settings, _, folder) => (await import('./log-backup.js')).logBackup(settings, console, folder)
  ).argument('<folder>', 'where the backup goes')
  add<{ readonly until?: Bound }>(
    'restore',
    'Make a data folder of a backup. The folder must be empty or new. The log continues under a new incarnation, whose first commit names\nthe newest commit of the backup.',
    async (settings, { until }, backup) =>
      (await import('./log-restore.js')).logRestore(settings, console, { backup, until })
  )
    .argument('<backup>', 'folder that `annals log backup` has written')
    .option('--until <index|time>', 'leave out all commits after this index, or after this time', parseBound)
  add(
    'export',
    'Write commits as lines of JSON: the messages of the event stream, {"Index":N,"Events":[…]}, with time and origin. The first line\ntells what log it is of; the last one has the number of commits and the SHA-256 of all lines before it.\nWith --evidence each commit comes with what proves that it is in the log as it was signed: `annals evidence verify` checks that on any\nmachine, with the public key of the log alone. Secrets are never in evidence.',
    async (settings, { from, to, withSecrets, evidence, topic, key, checkpoint }: ExportOptions) => {
      if (evidence) {
        if (withSecrets) throw new UsageError('secrets are never in evidence: leave out --with-secrets')
        const { exportEvidence } = await import('./evidence/export.js')
        return exportEvidence(settings, console, { from, to, topic, key, checkpoints: checkpoint ?? [] })
      }
      if (topic !== undefined || key !== undefined || checkpoint !== undefined)
        throw new UsageError('--topic, --key and --checkpoint are for --evidence')
      const { logExport } = await import('./log-export.js')
      return logExport(settings, console, { from, to, withSecrets: withSecrets === true })
    },
    verifyOrFail
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
  add(
    'import',
    'Make a log of an export with secrets, in a data folder that is empty or new. The commits keep their indexes and times; the log is a\nnew one, with an ID of its own. Everything is read back and compared.',
    async (settings, _, file) => (await import('./log-import.js')).logImport(settings, console, file)
  ).argument('<file>', 'file that `annals log export --with-secrets` has written; - for standard input')
  add<{ readonly to: number; readonly yes?: boolean }>(
    'repair',
    'Cut off all commits after an index, also where damage keeps the log from being opened: the only way to do so. Says what is lost, and\nkeeps a copy of it in DATA_DIR/log/cut. The log continues under a new incarnation. Not while a server runs.',
    async (settings, { to, yes = false }) =>
      (await import('./log-repair.js')).logRepair(settings, console, { to, isSure: yes })
  )
    .requiredOption('--to <index>', 'the last commit that is kept', parseEnd)
    .option('--yes', 'do not ask')
}

interface ShowOptions extends Omit<Selection, 'to'> {
  readonly from?: Bound
  readonly to?: Bound
  readonly json?: true
}

interface VerifyOptions extends TrustedInputOptions {
  readonly replay?: boolean
}

const ABOUT = `The log is all that a server knows: one commit for each command that changed something, numbered 1, 2, 3 …
It lies in DATA_DIR/log. Only repair changes it, and only import and restore make one; the others read it, and may run beside the
server. Secrets are never shown, and exported only with --with-secrets.`

const EXAMPLES = `
Examples:
  annals log show --data-dir ./data --from 100 --to 120
  annals log show --topic ACLToken --key 5ec51e41-9583-2bf5-eed4-3bfcbffede4f
  annals log export --config annals.json > history.ndjson
  annals log backup --data-dir ./data /backups/annals
  annals log restore /backups/annals --data-dir ./new --until 2026-11-21T08:00:00Z
  annals log verify --config annals.json --key "$(cat log.vkey)" --checkpoint old-checkpoint.txt`

export const buildLog = (command: Command, console: Console): void => {
  command.description(ABOUT).addHelpText('after', EXAMPLES)
  const add = serverCommands(command, console)
  add(
    'show',
    'Print commits: index, time, command, who asked, and the type and key of each event.',
    async (settings, { from, to, json, ...selection }: ShowOptions) => {
      const [{ withLog }, texts] = await Promise.all([import('./open-log.js'), import('./commit-text.js')])
      const format = json ? texts.commitAsJson : texts.commitAsText
      await withLog(settings, { withSecrets: false }, async log => {
        const first = from ? await indexFrom(log, from) : log.firstIndex
        const last = to ? await indexUntil(log, to) : Infinity
        const lines = async function* () {
          for await (const commit of selectCommits(log.read(first), { ...selection, to: last }))
            yield format(commit)
        }
        await writeLines(console.out, lines())
      })
    }
  )
    .option('--from <index|time>', 'first commit (default: the oldest that is kept)', parseBound)
    .option('--to <index|time>', 'last commit (default: the newest)', parseBound)
    .option('--topic <topic>', 'only events of this topic, such as ACLToken')
    .option('--key <key>', 'only events about this key')
    .option('--json', 'one line of JSON a commit, payloads included')
  add(
    'snapshot',
    'Write a snapshot of what the log makes true, beside the server that writes the log or without one. A start reads the\nnewest one and replays only what came after it; a server writes them itself (snapshot.commits).',
    async settings => (await import('./log-snapshot.js')).logSnapshot(settings, console)
  )
  withTrustedInputs(
    add(
      'verify',
      'Prove the log, and say what was proved. Against itself: every part of every commit is what the commit says, each commit names the\nhash of the one before it, and the tree beside the log is made of them. So all is found that would keep a server from starting, and\neverything that was changed by someone who did not recompute all hashes. Against what is known from outside (--checkpoint, --key,\n--witness, --pinned): that not even they did. Needs no secret; secrets are opened too, unless they are encrypted and no key is\nconfigured. Ends with 0 when all holds, 1 when something does not, and 2 when it could not be tried.',
      async (settings, { replay = false, ...outside }: VerifyOptions) =>
        (await import('./log-verify.js')).logVerify(settings, console, { withReplay: replay, outside }),
      verifyOrFail
    )
  )
    .option(
      '--replay',
      'also replay the log, and compare the state with each snapshot and with the digest of the last orderly shutdown'
    )
    .option('--pinned <hash@index>', 'a hash that a commit had, in hex (repeatable)', append)
  buildCopies(command, console)
}
