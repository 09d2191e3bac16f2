import { InvalidArgumentError } from 'commander'
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'
import { safe, type Link } from '../remote/output.js'
import { remoteCommand, showCommand, type Build, type Run } from '../remote/command.js'
import { optional, text, texts, type FlagDefinition, type FlagValues } from '../remote/flags.js'

export interface RuleSource extends Link {
  readonly Kind: string
}

export const sourceText = ({ Kind, Name, ID }: RuleSource): string => `${Kind} ${Name ?? ID ?? ''}`.trimEnd()

interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[] | null
}

interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}

export interface Grants {
  readonly Policies?: readonly Link[] | null
  readonly ServiceIdentities?: readonly ServiceIdentity[] | null
  readonly NodeIdentities?: readonly NodeIdentity[] | null
}

export type Get = Run['get']

export interface AclKind<Resource> {
  /** In the singular. */
  readonly noun: string
  /** Without the ID. */
  readonly path: string
  readonly listPath: string
  readonly idOf: (resource: Resource) => string
  readonly listText: (resources: readonly Resource[]) => string
  readonly asText: (resource: Resource) => string
}

const isWholeId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** Returns the only ID with this prefix. @throws Failed if there is none, or more than one */
export const resolveIdPrefix = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  id: string
): Promise<string> => {
  if (isWholeId(id)) return id
  const all = await (await get(kind.listPath)).json<readonly Resource[]>()
  const found = all.map(kind.idOf).filter(candidate => candidate.startsWith(id.toLowerCase()))
  const [only, second] = found
  if (only === undefined) throw new Failed(`no ${kind.noun} has an ID that begins with "${id}"`)
  if (second !== undefined) throw new Failed(`${found.length} have an ID that begins with "${id}"`)
  return only
}

interface ResourceName {
  readonly id: string | undefined
  readonly name: string | undefined
}

/** Returns the path of a resource that has both an ID and a name. @throws UsageError, Failed */
const pathOf = async <Resource>(
  get: Get,
  kind: AclKind<Resource>,
  { id, name }: ResourceName
): Promise<string> => {
  if (id !== undefined) return `${kind.path}/${await resolveIdPrefix(get, kind, id)}`
  if (name === undefined) throw new UsageError(`which ${kind.noun}? Its ID or name is needed`)
  return `${kind.path}/name/${encodeURIComponent(name)}`
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

/** Lists a kind without filters. */
export const listCommand = <Resource>(
  { listPath, listText }: AclKind<Resource>,
  summary: string,
  ...examples: readonly string[]
): Build => showCommand({ summary, examples, path: listPath, asText: listText })

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
      const id = kind.idOf(await findAclResource(get, kind, named(flags, args.which)))
      await send('DELETE', `${kind.path}/${encodeURIComponent(id)}`)
      out.done(`${capital(kind.noun)} "${safe(id)}" deleted successfully`)
    }
  })

const capital = (noun: string): string => noun.charAt(0).toUpperCase() + noun.slice(1)

const serviceIdentityOf = (input: string): ServiceIdentity => {
  const [ServiceName = '', datacenters, ...more] = input.split(':')
  if (ServiceName === '' || more.length > 0 || datacenters === '')
    throw new InvalidArgumentError('It is written SERVICE, or SERVICE:DATACENTER,DATACENTER.')
  return { ServiceName, ...(datacenters === undefined ? {} : { Datacenters: datacenters.split(',') }) }
}

const nodeIdentityOf = (input: string): NodeIdentity => {
  const [NodeName = '', Datacenter = '', ...more] = input.split(':')
  if (NodeName === '' || Datacenter === '' || more.length > 0)
    throw new InvalidArgumentError('It is written NODE:DATACENTER.')
  return { NodeName, Datacenter }
}

const listed = <Element>(
  value: string,
  about: string,
  parseElement: (input: string) => Element
): FlagDefinition<readonly Element[]> => ({
  about: `${about} (repeatable)`,
  value,
  initial: [],
  parse: (input, before) => [...before, parseElement(input)]
})

type Links = readonly Link[] | null | undefined

export const policyFlags = {
  policyId: texts('id', 'ID of a policy to link'),
  policyName: texts('name', 'name of a policy to link')
}

export const roleFlags = {
  roleId: texts('id', 'ID of a role to link'),
  roleName: texts('name', 'name of a role to link')
}

export const identityFlags = {
  serviceIdentity: listed(
    'service[:dc,…]',
    'service whose rights are given, and in which datacenters',
    serviceIdentityOf
  ),
  nodeIdentity: listed('node:dc', 'node whose rights are given', nodeIdentityOf)
}

export const linksOf = (ids: readonly string[], names: readonly string[]): readonly Link[] => [
  ...ids.map(ID => ({ ID })),
  ...names.map(Name => ({ Name }))
]

type Same<Element> = (one: Element, other: Element) => boolean

/** Adds elements in place of equal ones; unless they are merged, any added element replaces the whole list. */
export const changed = <Element>(
  before: readonly Element[] | null | undefined,
  added: readonly Element[],
  isSame: Same<Element>,
  isMerged: boolean
): readonly Element[] => {
  const existing = before ?? []
  if (!isMerged) return added.length > 0 ? added : existing
  return [...existing.filter(one => !added.some(other => isSame(one, other))), ...added]
}

export const isSameLink: Same<Link> = (one, other) =>
  other.ID === undefined ? one.Name === other.Name : one.ID === other.ID

const isSameService: Same<ServiceIdentity> = (one, other) => one.ServiceName === other.ServiceName

const isSameNode: Same<NodeIdentity> = (one, other) =>
  one.NodeName === other.NodeName && one.Datacenter === other.Datacenter

const MERGE_ALL = { mergePolicies: true, mergeServiceIdentities: true, mergeNodeIdentities: true }

/** Returns the grants of a resource, changed by the flags. */
export const grantsOf = (
  flags: FlagValues<typeof policyFlags & typeof identityFlags>,
  { Policies, ServiceIdentities, NodeIdentities }: Grants = {},
  merge = MERGE_ALL
): Grants => ({
  Policies: changed(Policies, linksOf(flags.policyId, flags.policyName), isSameLink, merge.mergePolicies),
  ServiceIdentities: changed(
    ServiceIdentities,
    flags.serviceIdentity,
    isSameService,
    merge.mergeServiceIdentities
  ),
  NodeIdentities: changed(NodeIdentities, flags.nodeIdentity, isSameNode, merge.mergeNodeIdentities)
})

const section = <Element>(
  heading: string,
  elements: readonly Element[] | null | undefined,
  line: (element: Element) => string
): readonly string[] =>
  elements && elements.length > 0
    ? [`${heading}:`, ...elements.map(element => `   ${safe(line(element))}`)]
    : []

const linkLines = (heading: string, links: Links): readonly string[] =>
  section(heading, links, ({ ID = '', Name = '' }) => `${ID} - ${Name}`)

/** Returns a section for each kind of grants that is not empty. */
export const grantLines = (grants: Grants & { readonly Roles?: Links }): readonly string[] => [
  ...linkLines('Policies', grants.Policies),
  ...linkLines('Roles', grants.Roles),
  ...section(
    'Service Identities',
    grants.ServiceIdentities,
    ({ ServiceName, Datacenters }) => `${ServiceName} (Datacenters: ${Datacenters?.join(', ') || 'all'})`
  ),
  ...section(
    'Node Identities',
    grants.NodeIdentities,
    ({ NodeName, Datacenter }) => `${NodeName} (Datacenter: ${Datacenter})`
  )
]
