// `annals namespace` and `annals partition`
import type { Link } from '../acl/acl-resources.js'
import { linksOf, namesOf } from '../acl/grants.js'
import { UsageError } from '../console.js'
import { group, remoteCommand } from '../remote/command.js'
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
import { metaText } from '../remote/listing.js'
import { fields, table } from '../remote/output.js'

const naming = {
  args: { name: optional('its name, in place of --name') },
  flags: { name: text('name', 'its name') }
}

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

interface TenancyKind<Resource> {
  /** Both the command's name and a segment of the path. */
  readonly kind: 'namespace' | 'partition'
  readonly noun: string
  readonly article: 'a' | 'an'
  readonly example: string
  readonly asText: (resource: Resource) => string
  readonly listText: (resources: readonly Resource[]) => string
}

const commonCommands = <Resource>(tenancy: TenancyKind<Resource>) => {
  const { kind, noun, article, example, asText } = tenancy
  return {
    list: remoteCommand({
      summary: `List ${noun}s.`,
      examples: [`annals ${kind} list`],
      run: async ({ read, out }) =>
        out.show(await read<readonly Resource[]>(`/v1/${kind}s`), tenancy.listText)
    }),
    write: remoteCommand({
      summary: `Make ${article} ${noun} what a definition says.`,
      examples: [`annals ${kind} write ${example}.hcl`],
      args: { file: required(DEFINITION) },
      run: async ({ write, out, args, console }) => {
        out.show(await write<Resource>('PUT', `/v1/${kind}`, await definitionIn(args.file, console)), asText)
      }
    }),
    read: remoteCommand({
      summary: `Show ${article} ${noun}.`,
      examples: [`annals ${kind} read ${example}`],
      ...naming,
      run: async ({ read, out, args, flags }) =>
        out.show(await read<Resource>(pathOf(kind, nameOf(flags, args))), asText)
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

const namespaceText = ({ Name, Description, Meta, ACLs }: Namespace): string =>
  fields({
    Name,
    Description,
    Meta: metaText(Meta),
    'Default policies': namesOf(ACLs?.PolicyDefaults),
    'Default roles': namesOf(ACLs?.RoleDefaults)
  })

const description = text('text', 'what it is for')

const namespaceFlags = {
  ...naming.flags,
  description,
  meta: pairs('metadata of the namespace'),
  defaultPolicyId: texts('id', 'policy that all tokens of the namespace have'),
  defaultPolicyName: texts('name', 'the same, by name'),
  defaultRoleId: texts('id', 'role that all tokens of the namespace have'),
  defaultRoleName: texts('name', 'the same, by name')
} satisfies FlagDefinitions

const namespaceBody = (flags: FlagValues<typeof namespaceFlags>, before?: Namespace) => {
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
  commands: {
    create: remoteCommand({
      summary: 'Create a namespace.',
      examples: [
        'annals namespace create -name team -description "The team"',
        'annals namespace create team'
      ],
      args: naming.args,
      flags: namespaceFlags,
      run: async ({ write, out, args, flags }) => {
        const body = { Name: nameOf(flags, args), ...namespaceBody(flags) }
        out.show(await write<Namespace>('PUT', '/v1/namespace', body), namespaceText)
      }
    }),
    update: remoteCommand({
      summary: 'Change a namespace: what no flag says stays.',
      about:
        'Defaults that are given take the place of those that are there; metadata is added to what is there.',
      examples: ['annals namespace update -name team -meta owner=ann'],
      args: naming.args,
      flags: namespaceFlags,
      run: async ({ write, read, out, args, flags }) => {
        const path = pathOf('namespace', nameOf(flags, args))
        const body = namespaceBody(flags, await read<Namespace>(path))
        out.show(await write<Namespace>('PUT', path, body), namespaceText)
      }
    }),
    ...commonCommands<Namespace>({
      kind: 'namespace',
      noun: 'namespace',
      article: 'a',
      example: 'team',
      asText: namespaceText,
      listText: namespaces =>
        table(
          ['Name', 'Description', 'Meta'],
          namespaces.map(({ Meta, ...others }) => ({ ...others, Meta: metaText(Meta) }))
        )
    })
  }
})

interface Partition {
  readonly Name: string
  readonly Description: string
}

const partitionText = ({ Name, Description }: Partition): string => fields({ Name, Description })

const partitionFlags = { ...naming.flags, description }

export const partition = group({
  summary: 'Create, show and delete admin partitions.',
  examples: ['annals partition create -name east', 'annals partition list'],
  commands: {
    create: remoteCommand({
      summary: 'Create an admin partition.',
      examples: ['annals partition create -name east -description "The east"'],
      args: naming.args,
      flags: partitionFlags,
      run: async ({ write, out, args, flags }) => {
        const body = { Name: nameOf(flags, args), Description: flags.description }
        out.show(await write<Partition>('PUT', '/v1/partition', body), partitionText)
      }
    }),
    update: remoteCommand({
      summary: 'Change the description of an admin partition.',
      examples: ['annals partition update -name east -description "The new east"'],
      args: naming.args,
      flags: partitionFlags,
      run: async ({ write, read, out, args, flags }) => {
        const path = pathOf('partition', nameOf(flags, args))
        const body = { Description: flags.description ?? (await read<Partition>(path)).Description }
        out.show(await write<Partition>('PUT', path, body), partitionText)
      }
    }),
    ...commonCommands<Partition>({
      kind: 'partition',
      noun: 'admin partition',
      article: 'an',
      example: 'east',
      asText: partitionText,
      listText: partitions => table(['Name', 'Description'], partitions)
    })
  }
})
