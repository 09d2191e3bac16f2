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

/** Returns a path with percent-encoded parts: apiPath`/v1/kv/${key}`. */
export const apiPath = (texts: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(texts, ...parts.map(encodeURIComponent))

export type Build = (command: Command, console: Console) => void

export interface Run<Flags = unknown, Arguments = unknown> {
  readonly flags: Flags
  readonly args: Arguments
  readonly out: Output
  readonly console: Console
  readonly connection: Connection
  /** The reason for the change, which requests send to the server. */
  readonly reason: string | undefined
  /** Query parameters of the consistency mode. */
  readonly consistency: Query
  /** @param path percent-encoded */
  readonly get: (path: string, query?: Query) => Promise<Answer>
  /** Reads JSON without validating it. */
  readonly read: <Value>(path: string, query?: Query) => Promise<Value>
  /** @param path percent-encoded */
  readonly send: (method: 'PUT' | 'POST' | 'DELETE', path: string, sending?: Sending) => Promise<Answer>
  /** Writes JSON, and reads the JSON of the response without validating it. */
  readonly write: <Value>(method: 'PUT' | 'POST', path: string, body?: unknown) => Promise<Value>
}

interface Declaration<Flags extends FlagDefinitions, Arguments extends ArgumentDefinitions> {
  readonly summary: string
  readonly about?: string
  /** Command lines, each optionally followed by two blanks and an explanation. */
  readonly examples: readonly string[]
  readonly flags?: Flags
  readonly args?: Arguments
  readonly also?: string
  /** The arguments are the command line of another program. */
  readonly passesThrough?: boolean
  readonly run: (run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => Promise<void>
}

const outputFlags = {
  json: on('print JSON'),
  format: text('form', 'the same: table or json', { choices: ['table', 'pretty', 'json'] })
} satisfies FlagDefinitions

const passing = new WeakSet<Command>()
export const passesThrough = (command: Command): boolean => passing.has(command)

const addFlags = (command: Command, definitions: FlagDefinitions, heading: string): void => {
  for (const [name, definition] of Object.entries(definitions)) {
    command.addOption(optionOf(name, definition).helpGroup(heading))
    // Help would show a default of the option for every flag.
    command.setOptionValue(name, definition.initial)
    alsoCalled(command, flagName(name), definition.also ?? [])
  }
}

const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map(example => `  ${example}`).join('\n')}`

const runOn = async (
  flags: ConnectionFlags,
  console: Console
): Promise<Pick<Run, 'connection' | 'consistency' | 'reason' | 'get' | 'read' | 'send' | 'write'>> => {
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
    send: (method, path, sending) => connection.request(method, path, sending),
    write: async <Value>(method: 'PUT' | 'POST', path: string, body?: unknown) =>
      (await connection.request(method, path, { body })).json<Value>()
  }
}

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
    for (const [name, definition] of Object.entries(args ?? {}))
      command.addArgument(argumentOf(name, definition))
    addFlags(command, flags ?? {}, 'Options:')
    addFlags(command, outputFlags, 'Output:')
    addFlags(command, connectionFlags, 'Connection:')
    if (declaration.passesThrough === true) {
      passing.add(command)
      command.passThroughOptions()
    }
    command.action(async () => {
      const common = command.opts<ConnectionFlags & FlagValues<typeof outputFlags>>()
      const values: readonly (readonly unknown[])[] = names.map((name, index) => [
        name,
        command.processedArgs[index]
      ])
      await run({
        flags: command.opts<FlagValues<Flags>>(),
        args: Object.fromEntries(values),
        out: new Output(console.out, common.json || common.format === 'json'),
        console,
        ...(await runOn(common, console))
      })
    })
  }

interface ShowDeclaration<
  Flags extends FlagDefinitions,
  Arguments extends ArgumentDefinitions,
  Value
> extends Omit<Declaration<Flags, Arguments>, 'run'> {
  readonly path: string | ((run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => string)
  readonly query?: (run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => Query
  readonly asText: (value: Value) => string
}

/** A command that prints the response of one GET. */
export const showCommand = <
  const Flags extends FlagDefinitions,
  const Arguments extends ArgumentDefinitions,
  Value
>({
  path,
  query,
  asText,
  ...declaration
}: ShowDeclaration<Flags, Arguments, Value>): Build =>
  remoteCommand({
    ...declaration,
    run: async run => {
      const value = await run.read<Value>(typeof path === 'string' ? path : path(run), query?.(run))
      run.out.show(value, asText)
    }
  })

interface Group {
  readonly summary: string
  readonly about?: string
  readonly examples: readonly string[]
  /** In the order of the help. */
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
