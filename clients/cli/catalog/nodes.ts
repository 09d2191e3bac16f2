// `annals catalog nodes` and `annals catalog node`
import { needed, on, text } from '../remote/flags.js'
import { metaText, nodeListing, nodeQuery } from '../remote/listing.js'
import { remoteCommand } from '../remote/command.js'
import { fields, table } from '../remote/output.js'
import { Failed } from '../failures.js'

interface Node {
  readonly Node: string
  readonly ID: string
  readonly Address: string
  readonly Datacenter: string
  readonly TaggedAddresses: Readonly<Record<string, string>> | null
}

interface ListedNode extends Node {
  /** Absent on instances of services. */
  readonly Meta?: Readonly<Record<string, string>> | null
  readonly NodeMeta?: Readonly<Record<string, string>> | null
}

const HEADING = ['Node', 'ID', 'Address', 'DC']

const nodesText = (nodes: readonly ListedNode[], isDetailed: boolean): string => {
  const short = ({ Node, ID, Address, Datacenter }: Node) => [Node, ID, Address, Datacenter]
  if (!isDetailed) return table(HEADING, nodes.map(short))
  const rows = nodes.map(node => [
    ...short(node),
    metaText(node.TaggedAddresses),
    metaText(node.Meta ?? node.NodeMeta)
  ])
  return table([...HEADING, 'TaggedAddresses', 'Meta'], rows)
}

/** The first entry of each node. */
const distinct = (nodes: readonly ListedNode[]): readonly ListedNode[] =>
  [...new Map(nodes.toReversed().map(node => [node.Node, node])).values()].toReversed()

export const catalogNodes = remoteCommand({
  summary: 'List nodes.',
  examples: [
    'annals catalog nodes',
    'annals catalog nodes -service=web           those with an instance of it',
    'annals catalog nodes -node-meta rack=a -detailed'
  ],
  flags: {
    ...nodeListing,
    service: text('name', 'only nodes with an instance of this service'),
    detailed: on('with all addresses, and metadata')
  },
  run: async ({ read, out, flags }) => {
    const { service } = flags
    const path =
      service === undefined ? '/v1/catalog/nodes' : `/v1/catalog/service/${encodeURIComponent(service)}`
    const found = await read<readonly ListedNode[]>(path, nodeQuery(flags))
    out.show(service === undefined ? found : distinct(found), nodes => nodesText(nodes, flags.detailed))
  }
})

/** What a server answers about a node; without the node if there is none. */
interface Answered {
  readonly Node: NodeServices['Node'] | null
  readonly Services: NodeServices['Services'] | null
}

interface NodeServices {
  readonly Node: Node & { readonly Meta: Readonly<Record<string, string>> | null }
  readonly Services: readonly {
    readonly ID: string
    readonly Service: string
    readonly Address: string
    readonly Port: number
    readonly Tags: readonly string[] | null
  }[]
}

const nodeText = ({ Node: node, Services }: NodeServices): string => {
  const head = fields([
    ['Node', node.Node],
    ['ID', node.ID],
    ['Address', node.Address],
    ['Datacenter', node.Datacenter],
    ['TaggedAddresses', metaText(node.TaggedAddresses)],
    ['Meta', metaText(node.Meta)]
  ])
  if (Services.length === 0) return head
  const rows = Services.map(each => [
    each.ID,
    each.Service,
    each.Address,
    each.Port,
    (each.Tags ?? []).join(', ')
  ])
  return `${head}\n\n${table(['ID', 'Service', 'Address', 'Port', 'Tags'], rows)}`
}

export const catalogNode = remoteCommand({
  summary: 'Show a node and its services.',
  examples: ['annals catalog node web-1'],
  args: { name: needed('its name') },
  run: async ({ read, out, args }) => {
    const path = `/v1/catalog/node-services/${encodeURIComponent(args.name)}`
    const { Node, Services } = await read<Answered>(path)
    if (Node === null) throw new Failed(`there is no node "${args.name}"`)
    out.show({ Node, Services: Services ?? [] }, nodeText)
  }
})
