import { Command, CommanderError, type HelpConfiguration } from 'commander'
import { versionText } from '../../events/version.js'
import { commandGroups } from './commands.js'
import { OutputClosed, type Console, EXIT, exitCodeOf, textOf } from '../../clients/cli/console.js'
import { passesThrough } from '../../clients/cli/remote/command.js'
import { withTwoDashes } from '../../clients/cli/remote/go-flags.js'

const ABOUT = `Annals stores ACLs, keys, services and their configuration in one append-only log.
It serves them over HTTP (the /v1 interface of Consul) and DNS.`

const EXAMPLES = `
Examples:
  annals serve                               a server on 127.0.0.1:8500, with its data in ./data
  annals serve --config /etc/annals.json     with a configuration file
  annals serve --help                        every key of the configuration
  annals bootstrap                           creates the first management token, once
  annals help kv get                         the help of a command
  annals log show --data-dir ./data          the commits with their callers
  annals log verify --data-dir ./data        verifies that no commit was changed or removed

A server stores everything in its data folder (--data-dir). The log is in DATA_DIR/log.`

/** Help wraps lines itself: descriptions are paragraphs, and indented lines stay. */
const HELP: HelpConfiguration = {
  commandDescription: command => command.description().replaceAll(/^(\S.*)\n(?=\S)/gm, '$1 '),
  subcommandDescription: command =>
    command.summary() || (command.description().split(/(?<=\.)\s/, 1)[0] ?? '')
}

/** Prints errors in one line, with the stack only for defects of the program. @returns the exit code (`failures.ts`) */
export const run = async (given: readonly string[], console: Console): Promise<number> => {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const program = new Command('annals').description(ABOUT).addHelpText('after', EXAMPLES)
  program.version(versionText(), '--version', 'print the version').helpOption('-h, --help', 'print the help')
  const output = {
    writeOut: (text: string) => void console.out.write(text),
    writeErr: (text: string) => void console.err.write(text),
    outputError: (text: string) => void console.err.write(text.replace(/^error: /, 'annals: '))
  }
  program.configureOutput(output).configureHelp(HELP).exitOverride().enablePositionalOptions()
  const named = namedCommands(args)
  for (const [heading, entries] of Object.entries(commandGroups)) {
    for (const [name, { summary, also, isHidden = false, load }] of Object.entries(entries)) {
      const command = program.command(name, { hidden: isHidden })
      command.summary(summary).description(summary).helpGroup(heading)
      if (also !== undefined) command.alias(also)
      if (named.has(name) || named.has(also)) (await load())(command, console)
    }
  }
  const selected = withTwoDashes(program, args, passesThrough)
  return await finish(program.parseAsync(selected.args, { from: 'user' }), selected.command, console)
}

/** The commands to load: the one that runs, and the one that help was requested for. */
const namedCommands = (args: readonly string[]): ReadonlySet<string | undefined> => {
  const named = args.filter(arg => !arg.startsWith('-'))
  return new Set(named.slice(0, named[0] === 'complete' ? 2 : 1))
}

/** Errors whose message does not say what the command accepts. */
const MISUSES: ReadonlySet<string> = new Set([
  'commander.excessArguments',
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
  'commander.unknownCommand',
  'commander.unknownOption'
])

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const finish = async (running: Promise<unknown>, command: Command, console: Console): Promise<number> => {
  try {
    await running
    return EXIT.done
  } catch (error) {
    if (error instanceof OutputClosed) return EXIT.done
    // The parser has already reported its own errors.
    if (!(error instanceof CommanderError)) console.err.write(textOf(error))
    else if (MISUSES.has(error.code)) console.err.write(`See: ${pathOf(command)} --help\n`)
    return exitCodeOf(error)
  }
}
