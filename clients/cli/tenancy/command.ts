import { linksOf } from '../acl/acl-resources.js'
import { UsageError } from '../console.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { DEFINITION, definitionIn } from '../remote/content.js'
import {
  required,
  optional,
  pairs,
  text,
  texts,
  type FlagDefinitions,
  type FlagValues
} from '../remote/flags.js'
import { details, fields, table, type Link, type Row } from '../remote/output.js'

interface Naming {
  readonly name: string | undefined
}

/** @throws UsageError unless the name is given exactly once */
const nameOf = (flags: Naming, args: Naming): string => {
  const name = flags.name ?? args.name
  if (name === undefined) throw new UsageError('the name is missing')
  if (flags.name !== undefined && args.name !== undefined)
    throw new UsageError('the name is given as an argument, or by --name')
  return name
}

const pathOf = (kind: string, name: string): string => `/v1/${kind}/${encodeURIComponent(name)}`

interface TenancyKind<Resource, Flags extends FlagDefinitions> {
  /** Both the command's name and a segment of the path. */
  readonly kind: 'namespace' | 'partition'
  readonly noun: string
  readonly article: 'a' | 'an'
  readonly example: string
  readonly create: { readonly examples: readonly string[] }
  readonly update: {
    readonly summary: string
    readonly about?: string
    readonly examples: readonly string[]
  }
  readonly flags: Flags
  /** @param read reads the resource to update; undefined for a new one */
  readonly bodyOf: (flags: FlagValues<Flags>, read?: () => Promise<Resource>) => Promise<object>
  readonly asText: (resource: Resource) => string
  readonly listText: (resources: readonly Resource[]) => string
}

const commandsOf = <Resource, const Flags extends FlagDefinitions>(tenancy: TenancyKind<Resource, Flags>) => {
  const { kind, noun, article, example, flags: content, bodyOf, asText, listText } = tenancy
  const naming = {
    args: { name: optional('its name, in place of --name') },
    flags: { name: text('name', 'its name') }
  }
  const contentFlags = { ...naming.flags, ...content }
  return {
    create: remoteCommand({
      summary: `Create ${article} ${noun}.`,
      ...tenancy.create,
      args: naming.args,
      flags: contentFlags,
      run: async ({ write, out, args, flags }) => {
        const body = { Name: nameOf(flags, args), ...(await bodyOf(flags)) }
        out.show(await write<Resource>('PUT', `/v1/${kind}`, body), asText)
      }
    }),
    update: remoteCommand({
      ...tenancy.update,
      args: naming.args,
      flags: contentFlags,
      run: async ({ write, read, out, args, flags }) => {
        const path = pathOf(kind, nameOf(flags, args))
        const body = await bodyOf(flags, () => read<Resource>(path))
        out.show(await write<Resource>('PUT', path, body), asText)
      }
    }),
    list: showCommand({
      summary: `List ${noun}s.`,
      examples: [`annals ${kind} list`],
      path: `/v1/${kind}s`,
      asText: listText
    }),
    write: remoteCommand({
      summary: `Make ${article} ${noun} what a definition says.`,
      examples: [`annals ${kind} write ${example}.hcl`],
      args: { file: required(DEFINITION) },
      run: async ({ write, out, args, console }) => {
        out.show(await write<Resource>('PUT', `/v1/${kind}`, await definitionIn(args.file, console)), asText)
      }
    }),
    read: showCommand({
      summary: `Show ${article} ${noun}.`,
      examples: [`annals ${kind} read ${example}`],
      ...naming,
      path: ({ args, flags }) => pathOf(kind, nameOf(flags, args)),
      asText
    }),
    delete: remoteCommand({
      summary: `Delete ${article} ${noun} with all that is in it.`,
      about: 'What is in it goes in the background, after this command has ended.',
      examples: [`annals ${kind} delete ${example}`],
      ...naming,
      run: async ({ send, out, args, flags }) => {
        const name = nameOf(flags, args)
        await send('DELETE', pathOf(kind, name))
        out.done(`The ${kind} "${name}" is being deleted`)
      }
    })
  }
}

interface Namespace {
  readonly Name: string
  readonly Description: string
  readonly ACLs?: {
    readonly PolicyDefaults: readonly Link[] | null
    readonly RoleDefaults: readonly Link[] | null
  }
  readonly Meta?: Readonly<Record<string, string>>
}

const description = text('text', 'what it is for')

const namespaceFlags = {
  description,
  meta: pairs('metadata of the namespace'),
  defaultPolicyId: texts('id', 'policy that all tokens of the namespace have'),
  defaultPolicyName: texts('name', 'the same, by name'),
  defaultRoleId: texts('id', 'role that all tokens of the namespace have'),
  defaultRoleName: texts('name', 'the same, by name')
} satisfies FlagDefinitions

const namespaceBody = async (
  flags: FlagValues<typeof namespaceFlags>,
  read?: () => Promise<Namespace>
): Promise<object> => {
  const before = await read?.()
  const policies = linksOf(flags.defaultPolicyId, flags.defaultPolicyName)
  const roles = linksOf(flags.defaultRoleId, flags.defaultRoleName)
  return {
    Description: flags.description ?? before?.Description,
    Meta: { ...before?.Meta, ...flags.meta },
    ACLs: {
      PolicyDefaults: policies.length > 0 ? policies : (before?.ACLs?.PolicyDefaults ?? []),
      RoleDefaults: roles.length > 0 ? roles : (before?.ACLs?.RoleDefaults ?? [])
    }
  }
}

export const namespace = group({
  summary: 'Create, show and delete namespaces.',
  examples: ['annals namespace create -name team', 'annals namespace list'],
  commands: commandsOf({
    kind: 'namespace',
    noun: 'namespace',
    article: 'a',
    example: 'team',
    create: {
      examples: ['annals namespace create -name team -description "The team"', 'annals namespace create team']
    },
    update: {
      summary: 'Change a namespace: what no flag says stays.',
      about:
        'Defaults that are given take the place of those that are there; metadata is added to what is there.',
      examples: ['annals namespace update -name team -meta owner=ann']
    },
    flags: namespaceFlags,
    bodyOf: namespaceBody,
    asText: ({ Name, Description, Meta, ACLs }: Namespace) =>
      fields({
        Name,
        Description,
        Meta,
        'Default policies': ACLs?.PolicyDefaults,
        'Default roles': ACLs?.RoleDefaults
      }),
    listText: namespaces => table(['Name', 'Description', 'Meta'], namespaces)
  })
})

export const partition = group({
  summary: 'Create, show and delete admin partitions.',
  examples: ['annals partition create -name east', 'annals partition list'],
  commands: commandsOf({
    kind: 'partition',
    noun: 'admin partition',
    article: 'an',
    example: 'east',
    create: { examples: ['annals partition create -name east -description "The east"'] },
    update: {
      summary: 'Change the description of an admin partition.',
      examples: ['annals partition update -name east -description "The new east"']
    },
    flags: { description },
    bodyOf: async (flags, read?: () => Promise<Row>) => ({
      Description: flags.description ?? (await read?.())?.['Description']
    }),
    asText: (shown: Row) => details(['Name', 'Description'], shown),
    listText: partitions => table(['Name', 'Description'], partitions)
  })
})
