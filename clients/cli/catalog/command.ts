import type { Schemas } from '../../typescript/typed/index.js'
import { safe, details, table, type Content } from '../remote/output.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { required, text, on, pairs } from '../remote/flags.js'
import { CONTENT, jsonContent } from '../remote/content.js'
import { nodeNames, serviceNames } from '../completion/sources.js'
import { UsageError, Failed } from '../console.js'
import { INSTANCE_COLUMNS, nodeListing, nodeQuery, metaQuery } from '../remote/listing.js'

type Tags = Readonly<Record<string, readonly string[]>>

type NodeServices = Schemas['NodeServiceList']

const tagsOf = ({ Services }: NodeServices): Tags => {
  const tags = new Map<string, Set<string>>()
  for (const { Service, Tags } of Services ?? [])
    tags.set(Service, new Set([...(tags.get(Service) ?? []), ...(Tags ?? [])]))
  return Object.fromEntries([...tags].map(([name, all]) => [name, [...all].toSorted()]))
}

const servicesText = (services: Tags, withTags: boolean): Content => {
  const names = Object.keys(services).toSorted()
  return withTags
    ? table(
        ['Service', 'Tags'],
        names.map(Service => ({ Service, Tags: services[Service] }))
      )
    : names.map(safe).join('\n')
}

const catalogServices = remoteCommand({
  summary: 'List the names of services.',
  examples: [
    'annals catalog services',
    'annals catalog services -tags',
    'annals catalog services -node=web-1'
  ],
  flags: {
    filter: text('expression', 'only instances that match, with --node'),
    node: text('name', 'only services with an instance on this node'),
    nodeMeta: pairs('only services with an instance on a node with this metadata'),
    tags: on('include the tags of the instances')
  },
  isRead: true,
  run: async ({ read, out, flags }) => {
    const { filter, node, nodeMeta, tags } = flags
    const meta = metaQuery(nodeMeta)
    if (node !== undefined && meta.length > 0)
      throw new UsageError('--node and --node-meta exclude each other')
    if (node === undefined && filter !== undefined)
      throw new UsageError('--filter has no effect without --node')
    const services =
      node === undefined
        ? await read('/v1/catalog/services', { 'node-meta': meta })
        : tagsOf(await read('/v1/catalog/node-services/{name}', { name: node, filter }))
    out.show(services, all => servicesText(all, tags))
  }
})

const catalogService = showCommand({
  summary: 'List the instances of a service, healthy or not.',
  examples: ['annals catalog service web', 'annals catalog service web -tag v2 -near _agent'],
  args: { name: required('name of the service', serviceNames) },
  flags: { ...nodeListing, tag: text('tag', 'only instances with this tag') },
  path: '/v1/catalog/service/{name}',
  parameters: ({ args, flags }) => ({ name: args.name, ...nodeQuery(flags), tag: flags.tag }),
  asText: instances =>
    table(
      [
        ['ID', 'ServiceID'],
        'Node',
        'Address',
        ['Port', 'ServicePort'],
        ['Tags', 'ServiceTags'],
        ['Meta', 'ServiceMeta']
      ],
      instances.map(instance => ({ ...instance, Address: instance.ServiceAddress || instance.Address }))
    )
})

type NodeRow = Schemas['Node'] | Schemas['ServiceNode']

const nodesText = (nodes: readonly NodeRow[], isDetailed: boolean): Content =>
  table(
    ['Node', 'ID', 'Address', ['DC', 'Datacenter'], ...(isDetailed ? ['TaggedAddresses', 'Meta'] : [])],
    nodes.map(node => ('NodeMeta' in node ? { ...node, Meta: node.NodeMeta } : node))
  )

/** Returns each node of the instances once. */
const distinct = (nodes: readonly Schemas['ServiceNode'][]) =>
  [...new Map(nodes.toReversed().map(node => [node.Node, node])).values()].toReversed()

const catalogNodes = remoteCommand({
  summary: 'List nodes.',
  examples: [
    'annals catalog nodes',
    'annals catalog nodes -service=web           those with an instance of it',
    'annals catalog nodes -node-meta rack=a -detailed'
  ],
  flags: {
    ...nodeListing,
    service: text('name', 'only nodes with an instance of this service'),
    detailed: on('include all addresses and metadata')
  },
  isRead: true,
  run: async ({ read, out, flags }) => {
    const { service } = flags
    const found: readonly NodeRow[] =
      service === undefined
        ? await read('/v1/catalog/nodes', nodeQuery(flags))
        : distinct(await read('/v1/catalog/service/{name}', { name: service, ...nodeQuery(flags) }))
    out.show(found, nodes => nodesText(nodes, flags.detailed))
  }
})

const nodeText = ({ Node, Services }: NodeServices): Content => {
  const head = details(['Node', 'ID', 'Address', 'Datacenter', 'TaggedAddresses', 'Meta'], Node ?? {})
  return Services && Services.length > 0 ? [head, '', table(INSTANCE_COLUMNS, Services)] : head
}

const catalogNode = remoteCommand({
  summary: 'Show a node and its services.',
  examples: ['annals catalog node web-1'],
  args: { name: required('name of the node', nodeNames) },
  isRead: true,
  run: async ({ read, out, args }) => {
    const { Node, Services } = await read('/v1/catalog/node-services/{name}', args)
    if (Node === null) throw new Failed(`there is no node "${args.name}"`)
    out.show({ Node, Services: Services ?? [] }, nodeText)
  }
})

const catalogRegister = remoteCommand({
  summary: 'Register a node, with a service or checks, that has no agent.',
  about:
    'Takes the body of `PUT /v1/catalog/register`. `annals service register` registers a service at an agent.',
  examples: [
    `annals catalog register '{"Node":"db-1","Address":"10.0.0.7","Service":{"Service":"db","Port":5432}}'`,
    'annals catalog register @db-1.json'
  ],
  args: { registration: required(`JSON; ${CONTENT}`) },
  run: async ({ send, out, args, console }) => {
    await send('PUT', '/v1/catalog/register', { body: await jsonContent(args.registration, console) })
    out.note('Success! Registered')
  }
})

const catalogDeregister = remoteCommand({
  summary: 'Deregister a node, or one of its services or checks.',
  examples: [
    'annals catalog deregister db-1                  the node, with its services and checks',
    'annals catalog deregister db-1 -service-id db   one service of it'
  ],
  args: { node: required('name of the node', nodeNames) },
  flags: { serviceId: text('id', 'only this service'), checkId: text('id', 'only this check') },
  run: async ({ write, out, args, flags }) => {
    const { serviceId, checkId } = flags
    if (serviceId !== undefined && checkId !== undefined)
      throw new UsageError('--service-id and --check-id exclude each other')
    const body = { Node: args.node, ServiceID: serviceId, CheckID: checkId }
    await write('put', '/v1/catalog/deregister', body)
    out.note(`Success! Deregistered ${serviceId ?? checkId ?? args.node}`)
  }
})

const datacenters = showCommand({
  summary: 'List datacenters, nearest first.',
  examples: ['annals catalog datacenters'],
  path: '/v1/catalog/datacenters',
  parameters: () => ({}),
  asText: names => names.map(safe).join('\n')
})

export const catalog = group({
  summary: 'Show and register nodes and services.',
  examples: ['annals catalog services', 'annals catalog service web', 'annals catalog nodes -service=web'],
  commands: {
    datacenters,
    nodes: catalogNodes,
    node: catalogNode,
    services: catalogServices,
    service: catalogService,
    register: catalogRegister,
    deregister: catalogDeregister
  }
})
