import type { Command } from 'commander'
import type { Answer } from '../../typescript/answer.js'
import type { Connection, Query, Sending } from '../../typescript/connection.js'
import {
  callOperation,
  type BodyOf,
  type ParameterArgument,
  type ParametersOf,
  type PathsWith,
  type ResponseOf
} from '../../typescript/typed/operations.js'
import { UsageError, type Console } from '../console.js'
import { selectedContext } from '../contexts/contexts.js'
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
import { FORMS, Output, type Content, type Form } from './output.js'
import { lookOf } from './look.js'
import { watchRead, type WrapFetch } from './watching.js'

export type Build = (command: Command, console: Console) => void

export interface Run<Flags = unknown, Arguments = unknown> {
  readonly flags: Flags
  readonly args: Arguments
  readonly out: Output
  readonly console: Console
  readonly connection: Connection
  /** The name of the context that the connection is from. */
  readonly context: string | undefined
  /** The chosen one of `forms`; undefined for a form of all commands. */
  readonly otherForm: string | undefined
  /** The reason for the change, which requests send to the server. */
  readonly reason: string | undefined
  /** Query parameters of the consistency mode. */
  readonly consistency: Query
  /** @param path percent-encoded */
  readonly get: (path: string, query?: Query) => Promise<Answer>
  /** Reads the JSON of a GET. */
  readonly read: <Path extends PathsWith<'get'>>(
    path: Path,
    ...parameters: ParameterArgument<'get', Path>
  ) => Promise<ResponseOf<'get', Path>>
  /** @param path percent-encoded */
  readonly send: (method: 'PUT' | 'POST' | 'DELETE', path: string, sending?: Sending) => Promise<Answer>
  /** Writes JSON, and reads the JSON of the response. */
  readonly write: <M extends 'put' | 'post' | 'delete', Path extends PathsWith<M>>(
    method: M,
    path: Path,
    body: BodyOf<M, Path>,
    ...parameters: ParameterArgument<M, Path>
  ) => Promise<ResponseOf<M, Path>>
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
  /** The command needs no server, and has no flags of connections. */
  readonly isLocal?: boolean
  /** The command changes nothing, and can be repeated with --watch. */
  readonly isRead?: boolean
  /** Forms of output that only this command has. */
  readonly forms?: readonly string[]
  /** The command prints no data, and has no output flags. */
  readonly printsNotes?: true
  readonly run: (run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => Promise<void>
}

const formatFlag = (others: readonly string[] = []) =>
  text(
    'form',
    `table (the default), wide, json, yaml, or jsonl: a line of JSON for each element${others.map(form => `, or ${form}`).join('')}`,
    { short: 'o', choices: [...FORMS, 'pretty', ...others] }
  )

const outputFlags = {
  format: formatFlag(),
  json: on('print JSON, as -o json does'),
  absolute: on('print times instead of their distance from now')
} satisfies FlagDefinitions

const watchFlags = {
  watch: on('print the output again after each change, until Ctrl-C')
} satisfies FlagDefinitions

type OutputFlags = FlagValues<typeof outputFlags>

/** Other forms print data of their own. */
const formOf = ({ format, json }: OutputFlags, others: readonly string[]): Form =>
  json || others.includes(format ?? '') ? 'json' : (FORMS.find(form => form === format) ?? 'table')

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

type Print = (
  console: Console,
  run: (out: Output, console: Console, wrap?: WrapFetch) => Promise<void>
) => Promise<void>

/** Adds flags of output to a command. Returns a function that runs it with the output that they choose. @param flags default: those of a read */
export const withOutput = (
  command: Command,
  flags: FlagDefinitions = { ...outputFlags, ...watchFlags },
  forms: readonly string[] = []
): Print => {
  addFlags(command, forms.length > 0 ? { ...flags, format: formatFlag(forms) } : flags, 'Output:')
  return async (console, run) => {
    const common = command.opts<OutputFlags & { readonly watch?: boolean }>()
    const form = formOf(common, forms)
    const yamlOf = form === 'yaml' ? (await import('yaml')).stringify : undefined
    const once = (own: Console, wrap?: WrapFetch): Promise<void> =>
      run(new Output(own, form, lookOf(console, common, form), yamlOf), own, wrap)
    await ('watch' in flags && common.watch === true ? watchRead(console, once) : once(console))
  }
}

export const examplesText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map(example => `  ${example}`).join('\n')}`

/** Returns a `fetch` that prints warnings of the server, and once that results are left out, in responses to reads. */
const withWarnings = (console: Console, out: Output): WrapFetch => {
  let isNoted = false
  return fetching => async (input, init) => {
    const response = await fetching(input, init)
    if ((init?.method ?? 'GET') !== 'GET') return response
    const warning = response.headers.get('X-Service-Warning')
    if (warning !== null) console.err.write(`warning: ${warning}\n`)
    if (response.headers.has('X-Service-Results-Filtered-By-ACLs') && !isNoted) {
      isNoted = true
      out.note('Some results are left out: the token may not read them. See: annals token rights')
    }
    return response
  }
}

const runOn = async (
  flags: Partial<ConnectionFlags>,
  console: Console,
  out: Output,
  wrap?: WrapFetch
): Promise<
  Pick<Run, 'connection' | 'context' | 'consistency' | 'reason' | 'get' | 'read' | 'send' | 'write'>
> => {
  const { stale, consistent } = flags
  if (stale && consistent) throw new UsageError('--stale and --consistent exclude each other')
  const selected = await selectedContext(flags, console.env)
  const warned = withWarnings(console, out)
  const connection = await connectionOf(flags, console.env, {
    selected,
    wrap: wrap ? fetching => wrap(warned(fetching)) : warned
  })
  const consistency = { stale, consistent }
  const get = (path: string, query?: Query): Promise<Answer> =>
    connection.request('GET', path, { query: { ...consistency, ...query } })
  return {
    connection,
    context: selected?.name,
    reason: flags.reason,
    consistency,
    get,
    read: (path, ...[parameters]) =>
      callOperation(connection, 'get', path, { query: consistency, parameters }),
    send: (method, path, sending) => connection.request(method, path, sending),
    write: (method, path, body, ...[parameters]) =>
      callOperation(connection, method, path, { body, parameters })
  }
}

export const remoteCommand =
  <const Flags extends FlagDefinitions, const Arguments extends ArgumentDefinitions>(
    declaration: Declaration<Flags, Arguments>
  ): Build =>
  (command, console) => {
    const { summary, about, examples, flags, args, also, run, isRead = false, isLocal = false } = declaration
    const forms = declaration.forms ?? []
    command.summary(summary).description(about === undefined ? summary : `${summary}\n\n${about}`)
    if (also !== undefined) command.alias(also)
    command.addHelpText('after', examplesText(examples))
    const names = Object.keys(args ?? {})
    for (const [name, definition] of Object.entries(args ?? {}))
      command.addArgument(argumentOf(name, definition))
    addFlags(command, flags ?? {}, 'Options:')
    const written = declaration.printsNotes === true ? {} : outputFlags
    const print = withOutput(command, isRead ? undefined : written, forms)
    if (!isLocal) addFlags(command, connectionFlags, 'Connection:')
    if (declaration.passesThrough === true) {
      passing.add(command)
      command.passThroughOptions()
    }
    command.action(async () => {
      const values: readonly (readonly unknown[])[] = names.map((name, index) => [
        name,
        command.processedArgs[index]
      ])
      await print(console, async (out, own, wrap) =>
        run({
          flags: command.opts<FlagValues<Flags>>(),
          args: Object.fromEntries(values),
          out,
          otherForm: forms.find(form => form === command.opts<OutputFlags>().format),
          console: own,
          ...(await (isLocal
            ? runOn({}, { ...own, env: {} }, out)
            : runOn(command.opts<ConnectionFlags>(), own, out, wrap)))
        })
      )
    })
  }

interface ShowDeclaration<
  Flags extends FlagDefinitions,
  Arguments extends ArgumentDefinitions,
  Path extends PathsWith<'get'>
> extends Omit<Declaration<Flags, Arguments>, 'run' | 'isRead'> {
  readonly path: Path
  readonly parameters: (run: Run<FlagValues<Flags>, ArgumentValues<Arguments>>) => ParametersOf<'get', Path>
  readonly asText: (value: ResponseOf<'get', Path>) => Content
}

/** A command that prints the response of one GET. */
export const showCommand = <
  const Flags extends FlagDefinitions,
  const Arguments extends ArgumentDefinitions,
  Path extends PathsWith<'get'>
>({
  path,
  parameters,
  asText,
  ...declaration
}: ShowDeclaration<Flags, Arguments, Path>): Build =>
  remoteCommand({
    ...declaration,
    isRead: true,
    run: async run => run.out.show(await run.read(path, parameters(run)), asText)
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
