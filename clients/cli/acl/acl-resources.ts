// ACL resources as the server returns them, and their lookup by ID prefix or name.
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { safe } from '../remote/output.js'
import { remoteCommand, type Build, type Run } from '../remote/command.js'
import { optional, text } from '../remote/flags.js'

export interface Link {
  readonly ID?: string
  readonly Name?: string
}

/** A resource that a rule comes from. */
export interface RuleSource extends Link {
  readonly Kind: string
}

export const sourceText = ({ Kind, Name, ID }: RuleSource): string => `${Kind} ${Name ?? ID ?? ''}`.trimEnd()

export interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[] | null
}

export interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}

export interface Grants {
  readonly Policies?: readonly Link[] | null
  readonly ServiceIdentities?: readonly ServiceIdentity[] | null
  readonly NodeIdentities?: readonly NodeIdentity[] | null
}

export type Get = Run<unknown, unknown>['get']

export interface AclKind<Resource> {
  /** In the singular. */
  readonly noun: string
  /** Without the ID. */
  readonly path: string
  readonly listPath: string
  /** Only for kinds that have both an ID and a name. */
  readonly byNamePath?: string
  readonly idOf: (resource: Resource) => string
  readonly listText: (resources: readonly Resource[]) => string
  readonly asText: (resource: Resource) => string
}

const isWholeId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

export const listOf = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  query: Parameters<Get>[1] = {}
): Promise<readonly Resource[]> => (await get(kind.listPath, query)).json<readonly Resource[]>()

/** Returns the only ID with this prefix. @throws Failed if there is none, or more than one */
export const resolveIdPrefix = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  id: string
): Promise<string> => {
  if (isWholeId(id)) return id
  const found = (await listOf(get, kind))
    .map(kind.idOf)
    .filter(candidate => candidate.startsWith(id.toLowerCase()))
  const [only, second] = found
  if (only === undefined) throw new Failed(`no ${kind.noun} has an ID that begins with "${id}"`)
  if (second !== undefined) throw new Failed(`${found.length} have an ID that begins with "${id}"`)
  return only
}

interface ResourceName {
  readonly id: string | undefined
  readonly name: string | undefined
}

/** @throws UsageError, Failed */
const pathOf = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  { id, name }: ResourceName
): Promise<string> => {
  if (id !== undefined) return `${kind.path}/${await resolveIdPrefix(get, kind, id)}`
  if (name === undefined) throw new UsageError(`which ${kind.noun}? Its ID or name is needed`)
  return `${kind.byNamePath ?? kind.path}/${encodeURIComponent(name)}`
}

const namedByBoth = (noun: string) => ({
  args: { which: optional(`ID or name of the ${noun}, in place of the flags`) },
  flags: {
    id: text('id', `ID of the ${noun}, or its beginning`),
    name: text('name', 'its name')
  }
})

const NAMED_TWICE = 'it is named twice: by an argument and by a flag'

/** Returns the value of the flag or the argument. @param word `name` or `ID` @throws UsageError if there is none, or both */
export const onlyOne = (
  noun: string,
  word: string,
  flag: string | undefined,
  which: string | undefined
): string => {
  if (flag !== undefined && which !== undefined) throw new UsageError(NAMED_TWICE)
  const value = flag ?? which
  if (value === undefined) throw new UsageError(`which ${noun}? Its ${word} is needed`)
  return value
}

/** Interprets an argument that looks like an ID as one. */
const named = (flags: ResourceName, which: string | undefined): ResourceName => {
  if (which === undefined) return flags
  if (flags.id !== undefined || flags.name !== undefined) throw new UsageError(NAMED_TWICE)
  return isWholeId(which) ? { id: which, name: undefined } : { id: undefined, name: which }
}

/** @throws RequestRefused if the resource does not exist */
const findAclResource = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  which: ResourceName
): Promise<Resource> => (await get(await pathOf(get, kind, which))).json<Resource>()

/** Flags of an update: `name` is the new name if there is an ID. */
export const idFlags = ({ noun }: { readonly noun: string }) => ({
  id: text('id', `ID of the ${noun}, or its beginning`),
  name: text('name', 'its name; with --id its new name')
})

/** @throws RequestRefused if the resource does not exist */
export const findForUpdate = <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  { id, name }: ResourceName
): Promise<Resource> => findAclResource(get, kind, { id, name: id === undefined ? name : undefined })

export const readCommand = <Resource>(kind: AclKind<Resource>, example: string): Build =>
  remoteCommand({
    summary: `Show a ${kind.noun}.`,
    examples: [example],
    ...namedByBoth(kind.noun),
    run: async ({ get, out, flags, args }) =>
      out.show(await findAclResource(get, kind, named(flags, args.which)), kind.asText)
  })

export const deleteCommand = <Resource>(kind: AclKind<Resource>, example: string): Build =>
  remoteCommand({
    summary: `Delete a ${kind.noun}.`,
    examples: [example],
    ...namedByBoth(kind.noun),
    run: async ({ get, send, out, flags, args }) => {
      const which = named(flags, args.which)
      const id =
        which.id === undefined || kind.byNamePath !== undefined
          ? kind.idOf(await findAclResource(get, kind, which))
          : await resolveIdPrefix(get, kind, which.id)
      await send('DELETE', `${kind.path}/${encodeURIComponent(id)}`)
      out.done(`${capital(kind.noun)} "${safe(id)}" deleted successfully`)
    }
  })

const capital = (noun: string): string => noun.charAt(0).toUpperCase() + noun.slice(1)
