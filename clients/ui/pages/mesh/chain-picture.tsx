// A discovery chain as a diagram, or two in one with their differences marked.
import { Diagram, type DiagramBox, type DiagramLine, type Mark, Table } from '../../design/index.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { servicePage } from '../../resources/catalog/facts.js'
import { formatRequestMatch } from './intention.js'
import { fieldIn, resourcePage } from '../../resources/kind.js'

type Resolver = NonNullable<Schemas['ChainNode']['Resolver']>

export type Chain = Schemas['Chain']

/** A part of a chain: a node, a target, or the requested service. */
interface ChainPart {
  readonly id: string
  readonly type: string
  readonly name: string
  /** Further information; empty for none. */
  readonly more: string
  /** The page of its configuration entry, or of its service. */
  readonly href?: string | undefined
}

const ENTRY = 'service'
const ofTarget = (id: string): string => `target:${id}`

/** Formats the requests that a route matches. */
const matchOf = (definition: unknown): string => {
  const match = formatRequestMatch(fieldIn(fieldIn(definition, 'Match'), 'HTTP'))
  return match === '' || match === '/*' ? 'else' : match
}

/** Detects a chain that starts at another service. */
const isRedirected = ({ Nodes, Targets, StartNode, ServiceName }: Chain): boolean => {
  const resolver = Nodes[StartNode]?.Resolver
  const service = resolver && Targets[resolver.Target]?.Service
  return service !== undefined && service !== ServiceName
}

/** Labels name the matched requests or their share; they are empty for all. Failovers are dashed. */
const linesIn = (chain: Chain): readonly DiagramLine[] => [
  { from: ENTRY, to: chain.StartNode, label: isRedirected(chain) ? 'redirect' : '', isDashed: false },
  ...Object.entries(chain.Nodes).flatMap(([from, { Routes = [], Splits = [], Resolver }]) => {
    const way = (to: string, label: string, isDashed = false) => ({ from, to, label, isDashed })
    const failover = Resolver?.Failover?.Targets ?? []
    return [
      ...Routes.map(({ Definition, NextNode }) => way(NextNode, matchOf(Definition))),
      ...Splits.map(({ Weight = 0, NextNode }) => way(NextNode, `${Weight} %`)),
      ...(Resolver ? [way(ofTarget(Resolver.Target), '')] : []),
      ...failover.map((target, at) =>
        way(ofTarget(target), failover.length > 1 ? `failover ${at + 1}` : 'failover', true)
      )
    ]
  })
]

const targetPart = (chain: Chain, id: string): ChainPart => {
  const target = chain.Targets[id]
  const more = target && [
    ...(target.ServiceSubset ? [`subset ${target.ServiceSubset}`] : []),
    ...(target.Namespace === chain.Namespace ? [] : [`namespace ${target.Namespace}`]),
    ...(target.Partition ? [`partition ${target.Partition}`] : []),
    ...(target.Datacenter === chain.Datacenter ? [] : [`in ${target.Datacenter}`]),
    ...(target.Subset?.OnlyPassing ? ['only passing'] : [])
  ]
  const href =
    target &&
    servicePage({
      service: target.Service,
      namespace: target.Namespace,
      partition: target.Partition ?? 'default'
    })
  return { id: ofTarget(id), type: 'target', name: target?.Service ?? id, more: more?.join(', ') ?? '', href }
}

const timeoutOf = (resolver: Resolver | undefined): string =>
  resolver?.ConnectTimeout === undefined ? '' : `timeout ${resolver.ConnectTimeout}`

type ChainNode = Schemas['ChainNode']

/** Returns the page of the entry that defines a node; undefined for a default. */
const entryOf = (chain: Chain, { Type, Name, Resolver }: ChainNode): string | undefined => {
  if (Resolver?.Default) return undefined
  const target = Resolver && chain.Targets[Resolver.Target]
  // Routers and splitters are named by service and namespace.
  const [, service = Name, ns = chain.Namespace] = /^(.*)\.([^.]+)$/.exec(Name) ?? []
  const key = `service-${Type}/${target?.Service ?? service}`
  const partition = target?.Partition ?? chain.Partition ?? 'default'
  return resourcePage('config', { key, ns: target?.Namespace ?? ns, partition })
}

/** All parts of a chain, its entry first. */
const chainPartsOf = (chain: Chain): readonly ChainPart[] => [
  { id: ENTRY, type: 'service', name: chain.ServiceName, more: chain.Protocol },
  ...Object.entries(chain.Nodes).map(([id, node]) => ({
    id,
    type: node.Type,
    name: node.Name,
    more: timeoutOf(node.Resolver),
    href: entryOf(chain, node)
  })),
  ...Object.keys(chain.Targets).map(id => targetPart(chain, id))
]

/** The type, name and further information of a part. */
const nameOf = ({ type, name, more }: ChainPart): string =>
  `${type} ${name}${more === '' ? '' : ` (${more})`}`

const boxOf = ({ id, type, name, more, href }: ChainPart, mark: Mark | undefined): DiagramBox => ({
  id,
  type: more === '' ? type : `${type} · ${more}`,
  name,
  href,
  mark,
  isMain: type === 'target'
})

const byId = (parts: readonly ChainPart[]): ReadonlyMap<string, ChainPart> =>
  new Map(parts.map(part => [part.id, part]))

/** Returns the parts of both chains; those of only one of them are marked. */
const boxesOf = (chain: Chain, before: Chain): readonly DiagramBox[] => {
  const [old, now] = [byId(chainPartsOf(before)), byId(chainPartsOf(chain))]
  return [
    ...[...now.values()].map(part => {
      const previous = old.get(part.id)
      if (!previous) return boxOf(part, 'added')
      return boxOf(part, previous.more === part.more ? undefined : 'changed')
    }),
    ...[...old.values()].filter(({ id }) => !now.has(id)).map(part => boxOf(part, 'removed'))
  ]
}

const isSame = (one: DiagramLine, other: DiagramLine): boolean =>
  one.from === other.from && one.to === other.to && one.isDashed === other.isDashed

const isEqual = (one: DiagramLine, other: DiagramLine): boolean =>
  isSame(one, other) && one.label === other.label

/** Returns the lines of both chains. A line whose label alone differs has both labels. */
const linesOf = (chain: Chain, before: Chain): readonly DiagramLine[] => {
  const [old, now] = [linesIn(before), linesIn(chain)]
  const gone = old.filter(line => !now.some(other => isEqual(line, other)))
  return [
    ...now.map((line): DiagramLine => {
      if (old.some(other => isEqual(line, other))) return line
      const at = gone.findIndex(other => isSame(line, other))
      const [previous] = at < 0 ? [] : gone.splice(at, 1)
      if (!previous) return { ...line, mark: 'added' }
      return { ...line, label: `${previous.label || 'all'} → ${line.label || 'all'}`, mark: 'changed' }
    }),
    ...gone.map((line): DiagramLine => ({ ...line, mark: 'removed' }))
  ]
}

const HEAD = ['From', 'Requests', 'To']

interface Props {
  readonly chain: Chain
  readonly title: string
  /** Marks the differences from this chain. */
  readonly before?: Chain | null | undefined
}

export const ChainPicture = ({ chain, title, before }: Props) => {
  const lines = linesOf(chain, before ?? chain)
  const names = new Map(
    [...chainPartsOf(before ?? chain), ...chainPartsOf(chain)].map(part => [part.id, nameOf(part)])
  )
  return (
    <>
      <Diagram title={title} boxes={boxesOf(chain, before ?? chain)} lines={lines} />
      <details>
        <summary>Show as table</summary>
        <Table
          label={`${title} as a table`}
          head={before ? [...HEAD, 'Difference'] : HEAD}
          rows={lines.map(({ from, to, label, mark }) => [
            names.get(from) ?? from,
            label || 'all',
            names.get(to) ?? to,
            ...(before ? [mark ?? ''] : [])
          ])}
          none="The chain has no targets."
        />
      </details>
    </>
  )
}
