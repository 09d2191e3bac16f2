// How commands name one resource.
import { namesAt } from '../completion/sources.js'
import { UsageError, Failed, Missing } from '../console.js'
import type { Run } from '../remote/command.js'
import { optional, text, type ArgumentDefinitions, type FlagDefinitions } from '../remote/flags.js'
import { isObject } from '../../../events/values.js'
import { textIn, type ResourceRun, type Values } from './field-inputs.js'

/** One resource. */
interface Target {
  /** Below the path of its kind, percent-encoded. */
  readonly path: string
  /** Undefined if it must be read to know its ID. */
  readonly id: string | undefined
}

export interface Naming {
  readonly args: ArgumentDefinitions
  readonly flags: FlagDefinitions
  /** Arguments of the creation. */
  readonly createArgs?: ArgumentDefinitions
  /** Flags of the update, if they differ. */
  readonly updateFlags?: FlagDefinitions
  /** The field that identifies the resource in paths. */
  readonly idField: string
  /** @throws UsageError, Failed */
  readonly targetOf: (run: ResourceRun, isUpdate?: boolean) => Target | Promise<Target>
}

const NAMED_TWICE = 'it is named twice: by an argument and by a flag'

const isWholeId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** Returns the elements of a list. */
export const rowsOf = (value: unknown): readonly Values[] =>
  Array.isArray(value) ? value.filter(isObject) : []

interface Identified {
  /** In the singular. */
  readonly noun: string
  readonly list: string
  readonly idField: string
}

/** Returns the only ID with this prefix. @throws Failed if there is none, or more than one */
const resolveIdPrefix = async (
  get: Run['get'],
  { noun, list, idField }: Identified,
  id: string
): Promise<string> => {
  if (isWholeId(id)) return id
  const all = rowsOf(await (await get(list)).json())
  const found = all
    .map(row => textIn(row, idField) ?? '')
    .filter(candidate => candidate.startsWith(id.toLowerCase()))
  const [only, second] = found
  if (only === undefined) throw new Missing(`no ${noun} has an ID that begins with "${id}"`)
  if (second !== undefined) throw new Failed(`${found.length} have an ID that begins with "${id}"`)
  return only
}

/** Returns the value of the flag or the argument. @throws UsageError if there is none, or both */
const onlyOne = (
  { noun, word }: { readonly noun: string; readonly word: string },
  flag: string | undefined,
  which: string | undefined
): string => {
  if (flag !== undefined && which !== undefined) throw new UsageError(NAMED_TWICE)
  const value = flag ?? which
  if (value === undefined) throw new UsageError(`missing the ${word} of the ${noun}`)
  return value
}

const inPath = (id: string) => ({ path: encodeURIComponent(id), id })

/** By ID, the beginning of an ID, or name. The update takes the flag `name` as the new name if there is an ID. */
export const byIdOrName = (noun: string, list: string): Naming => ({
  args: { which: optional(`ID or name of the ${noun}, instead of the flags`, namesAt(list)) },
  flags: {
    id: text('id', `ID of the ${noun}, or its beginning`),
    name: text('name', `name of the ${noun}`)
  },
  updateFlags: {
    id: text('id', `ID of the ${noun}, or its beginning`),
    name: text('name', `name of the ${noun}; its new name if the ${noun} is named by --id or the argument`)
  },
  idField: 'ID',
  targetOf: async ({ get, flags, args }, isUpdate = false) => {
    const which = textIn(args, 'which')
    const [id, name] = [textIn(flags, 'id'), textIn(flags, 'name')]
    if (which !== undefined && (id !== undefined || (name !== undefined && !isUpdate)))
      throw new UsageError(NAMED_TWICE)
    const named = which === undefined ? id : isWholeId(which) ? which : undefined
    if (named !== undefined) return inPath(await resolveIdPrefix(get, { noun, list, idField: 'ID' }, named))
    const called = which ?? name
    if (called === undefined) throw new UsageError(`missing the ID or name of the ${noun}`)
    return { path: `name/${encodeURIComponent(called)}`, id: undefined }
  }
})

interface ById extends Identified {
  /** The flag and the argument. */
  readonly flag: string
  readonly also?: readonly string[]
  readonly argument: string
  readonly word: string
}

/** By ID, or the beginning of an ID. */
export const byId = (kind: ById) => {
  const { noun, flag, argument, word, also = [] } = kind
  return {
    args: {
      [argument]: optional(
        `${word} of the ${noun}, or its beginning, instead of the flag`,
        namesAt(kind.list, kind.idField)
      )
    },
    flags: { [flag]: text('id', `${word} of the ${noun}, or its beginning`, { also }) },
    idField: kind.idField,
    targetOf: async ({ get, flags, args }: ResourceRun) =>
      inPath(await resolveIdPrefix(get, kind, onlyOne(kind, textIn(flags, flag), textIn(args, argument))))
  }
}

/** By name only. */
export const byName = (noun: string, list: string): Naming => ({
  args: { which: optional(`name of the ${noun}, instead of the flag`, namesAt(list)) },
  flags: { name: text('name', `name of the ${noun}`) },
  idField: 'Name',
  targetOf: ({ flags, args }) =>
    inPath(onlyOne({ noun, word: 'name' }, textIn(flags, 'name'), textIn(args, 'which')))
})

/** By name, which also the creation takes as an argument. */
export const byNameArgument = (noun: string, list: string) => {
  /** @throws UsageError unless the name is given exactly once */
  const nameOf = ({ flags, args }: ResourceRun): string => {
    const name = textIn(flags, 'name') ?? textIn(args, 'name')
    if (name === undefined) throw new UsageError('the name is missing')
    if (flags['name'] !== undefined && args['name'] !== undefined)
      throw new UsageError('the name is given as an argument, or by --name')
    return name
  }
  const about = `name of the ${noun}, instead of --name`
  return {
    args: { name: optional(about, namesAt(list)) },
    createArgs: { name: optional(about) },
    flags: { name: text('name', `name of the ${noun}`) },
    idField: 'Name',
    nameOf,
    targetOf: (run: ResourceRun) => inPath(nameOf(run))
  }
}
