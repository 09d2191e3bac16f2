// The commands of one resource kind, from its definition and the paths of its operations.
import type { ParametersOf, PathsWith } from '../../typescript/typed/operations.js'
import type { ResourceDefinition } from '../../../events/definition/types.js'
import { group, remoteCommand, type Build } from '../remote/command.js'
import { DELETION, deleteIfPresent, deletionFlags } from '../remote/deletion.js'
import { off, required, type FlagDefinition, type FlagDefinitions } from '../remote/flags.js'
import { DEFINITION, definitionIn } from '../remote/content.js'
import { safe } from '../remote/output.js'
import { inputOf, objectIn, textIn, type FieldInput, type ResourceRun, type Values } from './field-inputs.js'
import { rowsOf, type Naming } from './naming.js'
import { listText, resourceText, type ResourceText } from './resource-text.js'

type KindOf<Path> = Path extends `${infer Kind}/{${string}}` ? Kind : never
/** The path of a kind, below which each resource has its own. */
type KindPath = KindOf<PathsWith<'get'> & PathsWith<'put'> & PathsWith<'delete'>>

interface CommandText {
  readonly summary?: string
  readonly about?: string
  readonly examples?: readonly string[]
}

type WithExamples = CommandText & { readonly examples: readonly string[] }

interface ResourceKind<List extends PathsWith<'get'>> extends Omit<ResourceText, 'fields'> {
  readonly definition: ResourceDefinition
  /** The name of the group. */
  readonly command: string
  readonly article?: 'an'
  /** In the singular. */
  readonly noun: string
  readonly plural?: string
  /** The purpose of the group. */
  readonly summary: string
  /** The name of a resource in examples. */
  readonly sample: string
  readonly path: KindPath
  readonly list: List
  readonly naming: Naming
  /** For fields whose input does not follow from the definition; undefined for fields that no flag sets. */
  readonly inputs: Readonly<Record<string, FieldInput | undefined>>
  /** Flags of the list by query parameter. */
  readonly filters?: {
    readonly [Name in keyof ParametersOf<'get', List>]?: readonly [flag: string, FlagDefinition<unknown>]
  }
  /** Flags of the read. */
  readonly readFlags?: FlagDefinitions
  readonly texts: {
    readonly create: WithExamples
    readonly update: WithExamples
    readonly read?: CommandText
    readonly list?: CommandText
    readonly delete?: CommandText & { readonly done?: (id: string) => string }
  }
  /** Prints warnings of the body of a creation or update. */
  readonly warn?: (run: ResourceRun, body: Values) => void
  /** A file can define a resource. */
  readonly hasDefinitionFiles?: true
  /** Further commands. */
  readonly more?: Readonly<Record<string, Build>>
}

const capital = (noun: string): string => noun.charAt(0).toUpperCase() + noun.slice(1)

const inputsOf = <List extends PathsWith<'get'>>({ definition, inputs }: ResourceKind<List>) => {
  const declared = Object.entries(definition.fields).flatMap(([name, field]) => {
    const input = name in inputs ? inputs[name] : field.by === 'caller' ? inputOf(name, field) : undefined
    return input ? [[name, input] as const] : []
  })
  return new Map(declared)
}

type Inputs = ReturnType<typeof inputsOf>

const bodyOf = async (
  inputs: Inputs,
  run: ResourceRun,
  before?: Values
): Promise<Readonly<Record<string, unknown>>> => {
  const existing = run.flags['merge'] === false ? undefined : before
  const body: Record<string, unknown> = {}
  for (const [name, { update, isRequired, valueOf }] of inputs)
    if (!before || update === undefined)
      body[name] = await valueOf(run, (isRequired ? before : existing)?.[name])
    else if (update === 'kept') body[name] = before[name]
  return body
}

const flagsOf = (inputs: Inputs, isUpdate: boolean): FlagDefinitions =>
  Object.fromEntries(
    [...inputs.values()]
      .filter(({ update }) => !isUpdate || update === undefined)
      .flatMap(({ flags, updateFlags = {} }) =>
        Object.entries(isUpdate ? { ...flags, ...updateFlags } : flags)
      )
  )

const KEEPS = 'Fields that no flag sets keep their values, unless --no-merge is given.'

/** The requests and texts that the commands of a kind share. */
const operationsOf = <List extends PathsWith<'get'>>(kind: ResourceKind<List>) => {
  const { definition, article = 'a', noun, path } = kind
  const shown: ResourceText = { ...kind, fields: definition.fields }
  const asText = (resource: Values): string => resourceText(shown, resource)
  const read = async ({ get }: ResourceRun, below: string): Promise<Values> =>
    objectIn(await (await get(`${path}/${below}`)).json())
  return {
    one: `${article} ${noun}`,
    inputs: inputsOf(kind),
    shown,
    asText,
    read,
    write: async (run: ResourceRun, below: string, body: Values): Promise<void> => {
      kind.warn?.(run, body)
      run.out.show(objectIn(await (await run.send('PUT', `${path}${below}`, { body })).json()), asText)
    }
  }
}

const writeCommands = <List extends PathsWith<'get'>>(kind: ResourceKind<List>) => {
  const { command, sample, naming, texts } = kind
  const { one, inputs, read, write } = operationsOf(kind)
  return {
    create: remoteCommand({
      summary: `Create ${one}.`,
      ...texts.create,
      args: naming.createArgs ?? {},
      flags: flagsOf(inputs, false),
      run: async run => write(run, '', await bodyOf(inputs, run))
    }),
    update: remoteCommand({
      summary: `Update ${one}.`,
      about: KEEPS,
      ...texts.update,
      args: naming.args,
      flags: {
        ...naming.flags,
        ...flagsOf(inputs, true),
        ...naming.updateFlags,
        merge: off('empty the fields that no flag sets')
      },
      run: async run => {
        const target = await naming.targetOf(run, true)
        const before = await read(run, target.path)
        const id = target.id ?? textIn(before, naming.idField) ?? ''
        await write(run, `/${encodeURIComponent(id)}`, await bodyOf(inputs, run, before))
      }
    }),
    ...(kind.hasDefinitionFiles && {
      write: remoteCommand({
        summary: `Create or replace ${one} from a definition.`,
        examples: [`annals ${command} write ${sample}.hcl`],
        args: { file: required(DEFINITION) },
        run: async run => write(run, '', await definitionIn(run.args.file, run.console))
      })
    })
  }
}

/** Returns the commands create, read, update, delete and list, and those that the kind adds. */
const resourceCommands = <const List extends PathsWith<'get'>>(
  kind: ResourceKind<List>
): Readonly<Record<string, Build>> => {
  const { command, noun, sample, path, list, naming, texts, plural = `${noun}s` } = kind
  const { one, shown, asText, read } = operationsOf(kind)
  const { create, ...writes } = writeCommands(kind)
  const filters: readonly (readonly [string, readonly [string, FlagDefinition<unknown>]])[] = Object.entries(
    kind.filters ?? {}
  )
  return {
    create,
    read: remoteCommand({
      summary: `Show ${one}.`,
      examples: [`annals ${command} read ${sample}`],
      ...texts.read,
      args: naming.args,
      flags: { ...naming.flags, ...kind.readFlags },
      isRead: true,
      run: async run => run.out.show(await read(run, (await naming.targetOf(run)).path), asText)
    }),
    ...writes,
    delete: remoteCommand({
      summary: `Delete ${one}.`,
      examples: [`annals ${command} delete ${sample}`],
      about: DELETION,
      ...texts.delete,
      args: naming.args,
      flags: { ...naming.flags, ...deletionFlags },
      run: run =>
        deleteIfPresent(run, `the ${noun}`, async () => {
          const target = await naming.targetOf(run)
          const id = textIn(await read(run, target.path), naming.idField) ?? ''
          await run.send('DELETE', `${path}/${encodeURIComponent(id)}`)
          return texts.delete?.done?.(id) ?? `${capital(noun)} "${safe(id)}" deleted successfully`
        })
    }),
    list: remoteCommand({
      summary: `List ${plural}.`,
      examples: [`annals ${command} list`],
      ...texts.list,
      flags: Object.fromEntries(filters.map(([, filter]) => filter)),
      isRead: true,
      run: async ({ get, out, flags }) => {
        const query = Object.fromEntries(filters.map(([name, [flag]]) => [name, textIn(flags, flag)]))
        out.show(rowsOf(await (await get(list, query)).json()), resources => listText(shown, resources))
      }
    }),
    ...kind.more
  }
}

/** Returns the group of the commands of a kind. Its examples are the first of each command. */
export const resourceGroup = <const List extends PathsWith<'get'>>(kind: ResourceKind<List>): Build => {
  const { command, sample, summary, texts } = kind
  const examples = [
    ...texts.create.examples.slice(0, 1),
    `annals ${command} read ${sample}`,
    ...texts.update.examples.slice(0, 1),
    `annals ${command} list`
  ]
  return group({ summary, examples, commands: resourceCommands(kind) })
}
