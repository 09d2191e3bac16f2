// `annals catalog services` and `annals catalog service`
import { needed, on, pairs, text } from '../remote/flags.js'
import { filtering, metaQuery, metaText, nodeListing, nodeQuery } from '../remote/listing.js'
import { remoteCommand } from '../remote/command.js'
import { safe, table } from '../remote/output.js'
import { UsageError } from '../console.js'

/** Tags by the name of a service. */
type Tags = Readonly<Record<string, readonly string[]>>

interface OnNode {
  /** Null when there is no such node. */
  readonly Services: readonly { readonly Service: string; readonly Tags: readonly string[] | null }[] | null
}

const tagsOf = ({ Services }: OnNode): Tags => {
  const tags = new Map<string, Set<string>>()
  for (const { Service, Tags } of Services ?? [])
    tags.set(Service, new Set([...(tags.get(Service) ?? []), ...(Tags ?? [])]))
  return Object.fromEntries([...tags].map(([name, all]) => [name, [...all].toSorted()]))
}

const servicesText = (services: Tags, withTags: boolean): string => {
  const names = Object.keys(services).toSorted()
  return withTags
    ? table(
        ['Service', 'Tags'],
        names.map(name => [name, (services[name] ?? []).join(', ')])
      )
    : names.map(safe).join('\n')
}

export const catalogServices = remoteCommand({
  summary: 'List the names of services.',
  examples: [
    'annals catalog services',
    'annals catalog services -tags',
    'annals catalog services -node=web-1'
  ],
  flags: {
    ...filtering,
    node: text('name', 'only services with an instance on this node'),
    nodeMeta: pairs('only services with an instance on a node with this metadata'),
    tags: on('with the tags of their instances')
  },
  run: async ({ read, out, flags }) => {
    const { filter, node, nodeMeta, tags } = flags
    const meta = metaQuery(nodeMeta)
    if (node !== undefined && meta.length > 0)
      throw new UsageError('--node and --node-meta exclude each other')
    const services =
      node === undefined
        ? await read<Tags>('/v1/catalog/services', { filter, 'node-meta': meta })
        : tagsOf(await read<OnNode>(`/v1/catalog/node-services/${encodeURIComponent(node)}`, { filter }))
    out.show(services, all => servicesText(all, tags))
  }
})

interface Instance {
  readonly ServiceID: string
  readonly Node: string
  /** Of the node; that of the instance counts unless it is empty. */
  readonly Address: string
  readonly ServiceAddress: string
  readonly ServicePort: number
  readonly ServiceTags: readonly string[] | null
  readonly ServiceMeta: Readonly<Record<string, string>> | null
}

export const catalogService = remoteCommand({
  summary: 'List the instances of a service, healthy or not.',
  examples: ['annals catalog service web', 'annals catalog service web -tag v2 -near _agent'],
  args: { name: needed('name of the service') },
  flags: { ...nodeListing, tag: text('tag', 'only instances with this tag') },
  run: async ({ read, out, flags, args }) => {
    const path = `/v1/catalog/service/${encodeURIComponent(args.name)}`
    const found = await read<readonly Instance[]>(path, { ...nodeQuery(flags), tag: flags.tag })
    out.show(found, instances =>
      table(
        ['ID', 'Node', 'Address', 'Port', 'Tags', 'Meta'],
        instances.map(each => [
          each.ServiceID,
          each.Node,
          each.ServiceAddress || each.Address,
          each.ServicePort,
          (each.ServiceTags ?? []).join(', '),
          metaText(each.ServiceMeta)
        ])
      )
    )
  }
})
