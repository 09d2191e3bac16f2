// Where the nodes of a discovery chain stand in its picture: each to the right of those that lead to it.

interface Resolver {
  readonly Target: string
  readonly Default?: boolean
  readonly Failover?: { readonly Targets?: readonly string[] }
}

/** A compiled chain, as far as the picture shows it. */
export interface Chain {
  readonly ServiceName: string
  readonly Protocol: string
  readonly StartNode: string
  readonly Nodes: Readonly<
    Record<
      string,
      {
        readonly Type: string
        readonly Name: string
        readonly Routes?: readonly { readonly Definition?: unknown; readonly NextNode: string }[]
        readonly Splits?: readonly { readonly Weight: number; readonly NextNode: string }[]
        readonly Resolver?: Resolver
      }
    >
  >
  readonly Targets: Readonly<Record<string, unknown>>
}

export interface Box {
  readonly id: string
  readonly type: string
  readonly name: string
  /** In boxes from the left and from above. */
  readonly column: number
  readonly row: number
}

export interface Edge {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly isFailover: boolean
}

const ofTarget = (id: string): string => `target:${id}`

const PATHS = ['PathPrefix', 'PathExact', 'PathRegex'] as const

/** What of a request a route is for, in short. */
const routeLabel = (definition: unknown): string => {
  const match: unknown = Reflect.get(Object(Reflect.get(Object(definition), 'Match')), 'HTTP')
  const [path] = PATHS.flatMap(name => {
    const found: unknown = Reflect.get(Object(match), name)
    return typeof found === 'string' && found !== '' ? [found] : []
  })
  return path ?? 'any'
}

/** What leads where, in the order of the chain. */
const edgesOf = ({ Nodes }: Chain): readonly Edge[] =>
  Object.entries(Nodes).flatMap(([from, { Routes = [], Splits = [], Resolver }]) => [
    ...Routes.map(({ Definition, NextNode }) => ({
      from,
      to: NextNode,
      label: routeLabel(Definition),
      isFailover: false
    })),
    ...Splits.map(({ Weight, NextNode }) => ({
      from,
      to: NextNode,
      label: `${Weight} %`,
      isFailover: false
    })),
    ...(Resolver ? [{ from, to: ofTarget(Resolver.Target), label: '', isFailover: false }] : []),
    ...(Resolver?.Failover?.Targets ?? []).map(target => ({
      from,
      to: ofTarget(target),
      label: 'failover',
      isFailover: true
    }))
  ])

export const layOut = (chain: Chain): { readonly boxes: readonly Box[]; readonly edges: readonly Edge[] } => {
  const edges = edgesOf(chain)
  const columns = new Map<string, number>([[chain.StartNode, 0]])
  // A chain has no circles: what is moved to the right takes along what it leads to.
  const place = (id: string): void => {
    for (const { from, to } of edges) {
      const column = (columns.get(from) ?? 0) + 1
      if (from !== id || (columns.get(to) ?? 0) >= column) continue
      columns.set(to, column)
      place(to)
    }
  }
  place(chain.StartNode)
  const last = Math.max(...columns.values())
  const rows = new Map<number, number>()
  const boxes = [...columns].map(([id, found]) => {
    const node = chain.Nodes[id]
    // Targets stand together, however they are reached.
    const column = node ? found : last
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return {
      id,
      type: node?.Type ?? 'target',
      name: node?.Name ?? id.slice(ofTarget('').length),
      column,
      row
    }
  })
  return { boxes, edges: edges.filter(({ from, to }) => columns.has(from) && columns.has(to)) }
}
