// How a command about a server is declared, and built for the parser.
import type { Command } from 'commander'
import type { Answer } from '../../typescript/answer.js'
import type { Connection, Query, Sending } from '../../typescript/connection.js'
import { UsageError, type Console } from '../console.js'
import { connectionFlags, connectionOf, type ConnectionFlags } from './connection-options.js'
import {
  argumentOf,
  flagName,
  on,
  optionOf,
  text,
  type ArgumentDefinitions,
  type ArgumentValues,
  type FlagDefinitions,
  type FlagValues
} from './flags.js'
import { alsoCalled } from './go-flags.js'
import { Output } from './output.js'

/** Puts a command together; the table in `run.ts` and groups hold these. */
export type Build = (command: Command, console: Console) => void

/** What a command works with. */
export interface Run<Flags, Arguments> {
  readonly flags: Flags
  readonly args: Arguments
  readonly out: Output
  readonly console: Console
  readonly connection: Connection
  /** Why the change is made, as the flags say; requests tell the server. */
  readonly reason: string | undefined
  /** How consistently to read, for a query string. */
  readonly consistency: Query
  /** Reads, as consistently as the flags ask for. @param path with its special characters encoded */
  readonly get: (path: string, query?: Query) => Promise<Answer>
  /** What is read so, believed to be a `Value`. */
  readonly read: <Value>(path: string, query?: Query) => Promise<Value>
  /** Writes, with the reason that the flags give. @param path with its special characters encoded */
  readonly send: (method: 'PUT' | 'POST' | 'DELETE', path: string, sending?: Sending) => Promise<Answer>
}

interface Declaration<Flags extends FlagDefinitions, Arguments extends ArgumentDefinitions> {
  /** One sentence: what it does. */
  readonly summary: string
  /** What else there is to know: rules, exit codes. */
  readonly about?: string
  /** Command lines, the text behind two blanks being what they do. */
  readonly examples: readonly string[]
  readonly flags?: Flags
  readonly args?: Arguments
  /** Another name of it. */
  readonly also?: string
  /** Its arguments are the command line of another program, whose flags are not looked at. */
  readonly passesThrough?: boolean
  readonly run: (run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => Promise<void>
}

const outputFlags = {
  json: on('print JSON'),
  format: text('form', 'the same: table or json', { choices: ['table', 'pretty', 'json'] })
} satisfies FlagDefinitions

const passing = new WeakSet<Command>()
/** Whether what follows the arguments of a command belongs to another program. */
export const passesThrough = (command: Command): boolean => passing.has(command)

const addFlags = (command: Command, shapes: FlagDefinitions, heading: string): void => {
  for (const [name, shape] of Object.entries(shapes)) {
    command.addOption(optionOf(name, shape).helpGroup(heading))
    // Not as the default of the option, which help would tell of every flag.
    command.setOptionValue(name, shape.otherwise)
    alsoCalled(command, flagName(name), shape.also ?? [])
  }
}

const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map(example => `  ${example}`).join('\n')}`

const runOn = async (
  flags: ConnectionFlags,
  console: Console
): Promise<
  Pick<Run<unknown, unknown>, 'connection' | 'consistency' | 'reason' | 'get' | 'read' | 'send'>
> => {
  const { stale, consistent } = flags
  if (stale && consistent) throw new UsageError('--stale and --consistent exclude each other')
  const connection = await connectionOf(flags, console.env)
  const consistency = { stale, consistent }
  const get = (path: string, query?: Query): Promise<Answer> =>
    connection.request('GET', path, { query: { ...consistency, ...query } })
  return {
    connection,
    reason: flags.reason,
    consistency,
    get,
    read: async <Value>(path: string, query?: Query) => (await get(path, query)).json<Value>(),
    send: (method, path, sending) => connection.request(method, path, sending)
  }
}

/** A command that talks to a server. */
export const remoteCommand =
  <const Flags extends FlagDefinitions, const Arguments extends ArgumentDefinitions>(
    declaration: Declaration<Flags, Arguments>
  ): Build =>
  (command, console) => {
    const { summary, about, examples, flags, args, also, run } = declaration
    command.summary(summary).description(about === undefined ? summary : `${summary}\n\n${about}`)
    if (also !== undefined) command.alias(also)
    command.addHelpText('after', examplesText(examples))
    const names = Object.keys(args ?? {})
    for (const [name, shape] of Object.entries(args ?? {})) command.addArgument(argumentOf(name, shape))
    addFlags(command, flags ?? {}, 'Options:')
    addFlags(command, outputFlags, 'Output:')
    addFlags(command, connectionFlags, 'Connection:')
    if (declaration.passesThrough === true) {
      passing.add(command)
      command.passThroughOptions()
    }
    command.action(async () => {
      const given = command.opts<FlagValues<Flags>>()
      const common = command.opts<ConnectionFlags & FlagValues<typeof outputFlags>>()
      const values: readonly (readonly unknown[])[] = names.map((name, index) => [
        name,
        command.processedArgs[index]
      ])
      await run({
        flags: given,
        args: Object.fromEntries(values),
        out: new Output(console.out, common.json || common.format === 'json'),
        console,
        ...(await runOn(common, console))
      })
    })
  }

interface Group {
  /** What its commands are about. */
  readonly summary: string
  readonly about?: string
  readonly examples: readonly string[]
  /** By name, in the order of the help. */
  readonly commands: Readonly<Record<string, Build>>
}

/** Builds a command whose subcommands share a name. */
export const group =
  ({ summary, about, examples, commands }: Group): Build =>
  (command, console) => {
    command.summary(summary).description(about === undefined ? summary : `${summary}\n\n${about}`)
    command.addHelpText('after', examplesText(examples))
    for (const [name, build] of Object.entries(commands)) build(command.command(name), console)
  }
