// The command line: which commands there are, and how a run of one ends.
import { Command, CommanderError } from 'commander'
import { versionText } from '../program/version.js'
import { NotTried, ReaderGone } from './console.js'
import type { Console } from './console.js'

type Build = (command: Command, console: Console) => void

interface Entry {
  readonly summary: string
  /** Loads what the command needs; only the command that is run is loaded. */
  readonly load: () => Promise<Build>
}

const commands: Readonly<Record<string, Entry>> = {
  serve: { summary: 'Run a server.', load: async () => (await import('./serve.js')).buildServe },
  log: {
    summary: 'Show, verify, export, back up, restore or repair the log of a server.',
    load: async () => (await import('./log.js')).buildLog
  },
  cluster: {
    summary: 'Show a cluster of servers, join or leave it, or found it anew after etcd was lost.',
    load: async () => (await import('./cluster.js')).buildCluster
  },
  evidence: {
    summary: 'Check evidence that was exported from a log, on any machine.',
    load: async () => (await import('./evidence/command.js')).buildEvidence
  },
  version: {
    summary: 'Print the version; so does --version.',
    load: async () => (await import('./version.js')).buildVersion
  }
}

const ABOUT = `Annals keeps ACLs, keys, queries and the configuration of services in one append-only log,
and serves them over HTTP (the /v1 interface of Consul) and DNS.`

const EXAMPLES = `
Examples:
  annals serve                               a server on 127.0.0.1:8500, its data in ./data
  annals serve --config /etc/annals.json     with a configuration file
  annals serve --help                        every key of the configuration
  curl -X PUT localhost:8500/v1/acl/bootstrap   makes the first management token, once
  annals log show --data-dir ./data          what happened, and who did it
  annals log verify --data-dir ./data        proves that nothing was changed or cut out

A server keeps everything in its data folder (--data-dir); the log is in DATA_DIR/log.`

/** Errors that the user can solve: printed in one line. */
const isTold = (error: Error): boolean =>
  [
    'SettingsError',
    'LogUnusable',
    'LogDamage',
    'TreeDamage',
    'LogFailure',
    'CommitsGone',
    'UsageError',
    'NotTried',
    'Unproved',
    'MalformedNote',
    'ListenError',
    'SharedUnreachable',
    'SharedMismatch'
  ].includes(error.name) || 'syscall' in error

/**
 * Runs the command line. Errors go to `console.err` in one line, with the stack only if the program is at
 * fault.
 * @returns the exit code: 0, 1 after an error, or 2 when what was to be proved could not be tried
 */
export const run = async (args: readonly string[], console: Console): Promise<number> => {
  const program = new Command('annals').description(ABOUT).addHelpText('after', EXAMPLES)
  program.version(versionText(), '--version', 'print the version')
  const output = {
    writeOut: (text: string) => void console.out.write(text),
    writeErr: (text: string) => void console.err.write(text)
  }
  program.configureOutput(output).exitOverride()
  const named = args.filter(arg => !arg.startsWith('-'))
  const asked = named[0] === 'help' ? named[1] : named[0]
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = program.command(name).summary(summary).description(summary)
    if (name === asked) (await load())(command, console)
  }
  return await finish(program.parseAsync(args, { from: 'user' }), console)
}

const finish = async (running: Promise<unknown>, console: Console): Promise<number> => {
  try {
    await running
    return 0
  } catch (error) {
    if (error instanceof ReaderGone) return 0
    if (error instanceof CommanderError)
      return error.exitCode === 0 || error.code === 'commander.help' ? 0 : 1
    const text = error instanceof Error ? (isTold(error) ? error.message : error.stack) : String(error)
    console.err.write(`annals: ${text}\n`)
    return error instanceof NotTried ? 2 : 1
  }
}
