import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Settings } from '../settings/settings.js'
import type { Console } from '../../clients/cli/console.js'
import type { LogReader } from '../../events/log/log.js'
import { indexAt } from '../../events/log/lookups.js'
import { examplesText, withOutput } from '../../clients/cli/remote/command.js'
import type { Output } from '../../clients/cli/remote/output.js'
import { parseMoment, timeOfMoment } from '../../clients/cli/remote/times.js'
import { MILLISECOND, parseDuration, SECOND } from '../../events/duration.js'
import { justAfter } from '../../events/time.js'

/** A commit by index, or a time in epoch milliseconds. */
export type Bound = { readonly index: number } | { readonly time: number }

type TimedLog = Pick<LogReader, 'firstIndex' | 'durableIndex' | 'records'>

/** @throws InvalidArgumentError */
export const parseBound = (text: string): Bound => {
  const moment = parseMoment(text)
  const time = timeOfMoment(moment)
  if (time !== undefined) return { time }
  if (moment === '0') throw new InvalidArgumentError('An index is a whole number from 1.')
  return { index: Number(moment) }
}

export const indexFrom = async (log: TimedLog, from: Bound): Promise<number> =>
  'index' in from ? from.index : indexAt(log, from.time)

export const indexUntil = async (log: TimedLog, until: Bound): Promise<number> =>
  'index' in until ? until.index : (await indexAt(log, justAfter(until.time))) - 1

/** @throws InvalidArgumentError */
export const parseIndex = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('An index is a whole number from 1.')
  return Number(text)
}

/** Returns milliseconds. @throws InvalidArgumentError */
const parsePeriod = (text: string): number => {
  const period = parseDuration(text)
  if (period === undefined || period < SECOND)
    throw new InvalidArgumentError('It is a duration of at least 1s, such as 30s.')
  return period / MILLISECOND
}

/** @param shown the default as the help has it */
export const periodOption = (flags: string, about: string, defaultMs: number, shown: string): Option =>
  new Option(flags, about).argParser((text: string) => parsePeriod(text)).default(defaultMs, shown)

interface SourceOptions {
  readonly config?: string
  readonly dataDir?: string
}

type Run<Options> = (settings: Settings, options: Options, argument: string) => Promise<void>

/** Returns a function that adds a command on the settings of a server. */
export const serverCommands =
  (parent: Command, { env }: Pick<Console, 'env'>) =>
  <Options extends object>(
    name: string,
    description: string,
    run: Run<Options>,
    attempt: (work: () => Promise<void>) => Promise<void> = work => work()
  ): Command => {
    const command = parent
      .command(name)
      .description(description)
      .option(
        '--config <file>',
        'configuration file of the server, for its data folder and key (ANNALS_CONFIG)'
      )
      .option('--data-dir <folder>', 'data folder of the server (ANNALS_DATA_DIR; default: ./data)')
    return command.action(() =>
      attempt(async () => {
        const { config, dataDir } = command.opts<Options & SourceOptions>()
        const { loadSettings } = await import('../settings/load.js')
        const settings = loadSettings({ file: config, env, flags: { 'data-dir': dataDir } })
        await run(settings, command.opts<Options>(), command.args[0] ?? '')
      })
    )
  }

type Read<Options> = (settings: Settings, options: Options, out: Output) => Promise<void>

/** Like `serverCommands`, for commands that only read and choose the form of their output. */
export const serverReads =
  (parent: Command, console: Console) =>
  <Options extends object>(name: string, description: string, read: Read<Options>): Command => {
    const command = serverCommands(parent, console)<Options>(name, description, (settings, options) =>
      print(console, out => read(settings, options, out))
    )
    const print = withOutput(command)
    return command
  }

/** Adds examples to the help of a group, and to that of each subcommand its own. */
export const withExamples = (group: Command, examples: readonly string[]): void => {
  group.addHelpText('after', examplesText(examples))
  for (const subcommand of group.commands) {
    const own = examples.filter(example => example.split(' ')[2] === subcommand.name())
    if (own.length > 0) subcommand.addHelpText('after', examplesText(own))
  }
}

/** Collects the values of a repeated option. */
export const append = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

export const withTrustedInputs = (command: Command): Command =>
  command
    .option(
      '--key <vkey>',
      'public key of the log, from GET /v1/event/checkpoint/key (repeatable, for a log whose signing key was replaced)',
      append
    )
    .option(
      '--checkpoint <file|url>',
      'earlier checkpoint of the log, which must still begin with its commits (repeatable)',
      append
    )
    .option(
      '--witness <vkey>',
      'public key of a witness that must have signed the checkpoint (repeatable)',
      append
    )
