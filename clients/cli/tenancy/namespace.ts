// `annals namespace`
import { group, remoteCommand } from '../remote/command.js'
import { pairs, text, texts, type FlagDefinitions, type FlagValues } from '../remote/flags.js'
import { metaText } from '../remote/listing.js'
import { fields, table } from '../remote/output.js'
import { commonCommands, nameOf, naming, pathOf } from './common.js'

interface Link {
  readonly ID?: string
  readonly Name?: string
}

interface Namespace {
  readonly Name: string
  readonly Description: string
  readonly ACLs?: {
    readonly PolicyDefaults: readonly Link[] | null
    readonly RoleDefaults: readonly Link[] | null
  }
  readonly Meta?: Readonly<Record<string, string>>
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

const linksText = (links: readonly Link[] | null | undefined): string =>
  (links ?? []).map(({ ID, Name }) => Name ?? ID ?? '').join(', ')

const namespaceText = (namespace: Namespace): string =>
  fields([
    ['Name', namespace.Name],
    ['Description', namespace.Description],
    ['Meta', metaText(namespace.Meta)],
    ['Default policies', linksText(namespace.ACLs?.PolicyDefaults)],
    ['Default roles', linksText(namespace.ACLs?.RoleDefaults)]
  ])

const contentFlags = {
  description: text('text', 'what it is for'),
  meta: pairs('metadata of the namespace'),
  defaultPolicyId: texts('id', 'policy that all tokens of the namespace have'),
  defaultPolicyName: texts('name', 'the same, by name'),
  defaultRoleId: texts('id', 'role that all tokens of the namespace have'),
  defaultRoleName: texts('name', 'the same, by name')
} satisfies FlagDefinitions

const links = (ids: readonly string[], names: readonly string[]): readonly Link[] => [
  ...ids.map(ID => ({ ID })),
  ...names.map(Name => ({ Name }))
]

/** What flags say of a namespace, in place of what it was. */
const described = (flags: FlagValues<typeof contentFlags>, before?: Namespace) => {
  const policies = links(flags.defaultPolicyId, flags.defaultPolicyName)
  const roles = links(flags.defaultRoleId, flags.defaultRoleName)
  return {
    Description: flags.description ?? before?.Description,
    Meta: { ...before?.Meta, ...flags.meta },
    ACLs: {
      PolicyDefaults: policies.length > 0 ? policies : (before?.ACLs?.PolicyDefaults ?? []),
      RoleDefaults: roles.length > 0 ? roles : (before?.ACLs?.RoleDefaults ?? [])
    }
  }
}

const create = remoteCommand({
  summary: 'Create a namespace.',
  examples: ['annals namespace create -name team -description "The team"', 'annals namespace create team'],
  args: naming.args,
  flags: { ...naming.flags, ...contentFlags },
  run: async ({ send, out, args, flags }) => {
    const body = { Name: nameOf(flags, args), ...described(flags) }
    out.show(await (await send('PUT', '/v1/namespace', { body })).json<Namespace>(), namespaceText)
  }
})

const update = remoteCommand({
  summary: 'Change a namespace: what no flag says stays.',
  about:
    'Defaults that are given take the place of those that are there; metadata is added to what is there.',
  examples: ['annals namespace update -name team -meta owner=ann'],
  args: naming.args,
  flags: { ...naming.flags, ...contentFlags },
  run: async ({ read, send, out, args, flags }) => {
    const path = pathOf('namespace', nameOf(flags, args))
    const before = await read<Namespace>(path)
    const answer = await send('PUT', path, { body: described(flags, before) })
    out.show(await answer.json<Namespace>(), namespaceText)
  }
})

const list = remoteCommand({
  summary: 'List namespaces.',
  examples: ['annals namespace list'],
  run: async ({ read, out }) =>
    out.show(await read<readonly Namespace[]>('/v1/namespaces'), namespaces =>
      table(
        ['Name', 'Description', 'Meta'],
        namespaces.map(each => [each.Name, each.Description, metaText(each.Meta)])
      )
    )
})

const common = commonCommands<Namespace>({
  kind: 'namespace',
  called: 'a namespace',
  example: 'team',
  asText: namespaceText
})

export const namespace = group({
  summary: 'Create, show and delete namespaces.',
  examples: ['annals namespace create -name team', 'annals namespace list'],
  commands: { create, update, list, ...common }
})
