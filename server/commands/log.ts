// `annals log show|verify|snapshot`: reads the log of a data folder, while a server may be writing it; and
// the commands that copy it.
import type { Command } from 'commander'
import { verifyOrFail, writeLines } from '../../clients/cli/console.js'
import type { Console } from '../../clients/cli/console.js'
import { buildCopies } from './log-copies.js'
import type { TrustedInputOptions } from './evidence/trusted-inputs.js'
import { append, settingsOf, withTrustedInputs, withRange, withSource } from './log-options.js'
import type { RangeOptions, SourceOptions } from './log-options.js'
import type { Selection } from './select-commits.js'

interface ShowOptions extends RangeOptions {
  readonly topic?: string
  readonly key?: string
  readonly json?: true
}

interface VerifyOptions extends SourceOptions, TrustedInputOptions {
  readonly replay?: true
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

/** Prints the selected commits in a format. */
const print = async (
  options: ShowOptions,
  console: Console,
  format: 'commitAsText' | 'commitAsJson'
): Promise<void> => {
  const settings = await settingsOf(options, console)
  const [{ withLog }, { selectCommits }, texts] = await Promise.all([
    import('./open-log.js'),
    import('./select-commits.js'),
    import('./commit-text.js')
  ])
  const wanted: Selection = { to: options.to, topic: options.topic, key: options.key }
  await withLog(settings, { withSecrets: false }, async log => {
    const lines = async function* () {
      for await (const commit of selectCommits(log.read(options.from ?? log.firstIndex), wanted))
        yield texts[format](commit)
    }
    await writeLines(console.out, lines())
  })
}

export const buildLog = (command: Command, console: Console): void => {
  command.description(ABOUT).addHelpText('after', EXAMPLES)
  withRange(command.command('show'))
    .description('Print commits: index, time, command, who asked, and the type and key of each event.')
    .option('--topic <topic>', 'only events of this topic, such as ACLToken')
    .option('--key <key>', 'only events about this key')
    .option('--json', 'one line of JSON a commit, payloads included')
    .action((options: ShowOptions) =>
      print(options, console, options.json === true ? 'commitAsJson' : 'commitAsText')
    )
  withSource(command.command('snapshot'))
    .description(
      'Write a snapshot of what the log makes true, beside the server that writes the log or without one. A start reads the\nnewest one and replays only what came after it; a server writes them itself (snapshot.commits).'
    )
    .action(async (options: SourceOptions) => {
      const settings = await settingsOf(options, console)
      const { logSnapshot } = await import('./log-snapshot.js')
      await logSnapshot(settings, console)
    })
  withTrustedInputs(withSource(command.command('verify')))
    .description(
      'Prove the log, and say what was proved. Against itself: every part of every commit is what the commit says, each commit names the\nhash of the one before it, and the tree beside the log is made of them. So all is found that would keep a server from starting, and\neverything that was changed by someone who did not make all hashes anew. Against what is known from outside (--checkpoint, --key,\n--witness, --pinned): that not even they did. Needs no secret; secrets are opened too, unless they are encrypted and no key is\nconfigured. Ends with 0 when all holds, 1 when something does not, and 2 when it could not be tried.'
    )
    .option(
      '--replay',
      'also prove that the log makes the state: replay it, and compare with each snapshot and with the checkpoint that the server left when it was last stopped'
    )
    .option('--pinned <hash@index>', 'a hash that a commit had, in hex (repeatable)', append)
    .action((options: VerifyOptions) =>
      verifyOrFail(async () => {
        const settings = await settingsOf(options, console)
        const { logVerify } = await import('./log-verify.js')
        await logVerify(settings, console, { withReplay: options.replay === true, outside: options })
      })
    )
  buildCopies(command, console)
}
