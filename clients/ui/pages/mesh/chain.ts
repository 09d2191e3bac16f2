// A compiled discovery chain, and what leads where in it, in words.
import { formatRequestMatch } from './format-request-match.js'

interface Resolver {
  readonly Target: string
  readonly ConnectTimeout?: string
  readonly Default?: boolean
  readonly Failover?: { readonly Targets?: readonly string[] }
}

interface Target {
  readonly Service: string
  readonly ServiceSubset?: string
  readonly Namespace: string
  readonly Partition?: string
  readonly Datacenter: string
  readonly ConnectTimeout?: string
  readonly Subset?: { readonly Filter?: string; readonly OnlyPassing?: boolean }
}

/** A compiled chain, as far as the pages show it. */
export interface Chain {
  readonly ServiceName: string
  readonly Namespace: string
  readonly Datacenter: string
  readonly Protocol: string
  readonly StartNode: string
  /** Where an override had an effect. */
  readonly CustomizationHash?: string
  readonly Nodes: Readonly<
    Record<
      string,
      {
        readonly Type: string
        readonly Name: string
        readonly Routes?: readonly { readonly Definition?: unknown; readonly NextNode: string }[]
        readonly Splits?: readonly { readonly Weight?: number; readonly NextNode: string }[]
        readonly Resolver?: Resolver
      }
    >
  >
  readonly Targets: Readonly<Record<string, Target>>
}

/** A part of a chain: a node, a target, or the service that is asked for. */
export interface ChainPart {
  readonly id: string
  readonly type: string
  readonly name: string
  /** What else is to be known of it, in short; empty for nothing. */
  readonly more: string
}

/** A way that requests take. */
export interface Way {
  readonly from: string
  readonly to: string
  /** For which requests, or which share of them; empty for all. */
  readonly label: string
  readonly isFailover: boolean
}

const ENTRY = 'service'
const ofTarget = (id: string): string => `target:${id}`

const get = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** Formats the requests that a route matches. */
const matchOf = (definition: unknown): string => {
  const match = formatRequestMatch(get(get(definition, 'Match'), 'HTTP'))
  return match === '' || match === '/*' ? 'else' : match
}

/** The service of a name such as `v1.web.default.dc1`, as a resolver or router has it. */
const serviceIn = ({ Nodes, Targets, StartNode }: Chain): string | undefined => {
  const start = Nodes[StartNode]
  const target = start?.Resolver && Targets[start.Resolver.Target]
  return target?.Service
}

/** Whether requests for the service go to another one from the start. */
const isRedirected = (chain: Chain): boolean => {
  const service = serviceIn(chain)
  return service !== undefined && service !== chain.ServiceName
}

export const waysOf = (chain: Chain): readonly Way[] => [
  {
    from: ENTRY,
    to: chain.StartNode,
    label: isRedirected(chain) ? 'redirect' : '',
    isFailover: false
  },
  ...Object.entries(chain.Nodes).flatMap(([from, { Routes = [], Splits = [], Resolver }]) => {
    const failover = Resolver?.Failover?.Targets ?? []
    return [
      ...Routes.map(({ Definition, NextNode }) => ({
        from,
        to: NextNode,
        label: matchOf(Definition),
        isFailover: false
      })),
      ...Splits.map(({ Weight = 0, NextNode }) => ({
        from,
        to: NextNode,
        label: `${Weight} %`,
        isFailover: false
      })),
      ...(Resolver ? [{ from, to: ofTarget(Resolver.Target), label: '', isFailover: false }] : []),
      ...failover.map((target, at) => ({
        from,
        to: ofTarget(target),
        label: failover.length > 1 ? `failover ${at + 1}` : 'failover',
        isFailover: true
      }))
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
  return { id: ofTarget(id), type: 'target', name: target?.Service ?? id, more: more?.join(', ') ?? '' }
}

/** How long is waited for a connection. */
const timeoutOf = (resolver: Resolver | undefined): string =>
  resolver?.ConnectTimeout === undefined ? '' : `timeout ${resolver.ConnectTimeout}`

/** All parts of a chain, its entry first. */
export const chainPartsOf = (chain: Chain): readonly ChainPart[] => [
  { id: ENTRY, type: 'service', name: chain.ServiceName, more: chain.Protocol },
  ...Object.entries(chain.Nodes).map(([id, { Type, Name, Resolver }]) => ({
    id,
    type: Type,
    name: Name,
    more: timeoutOf(Resolver)
  })),
  ...Object.keys(chain.Targets).map(id => targetPart(chain, id))
]

/** The whole of what a part is called. */
export const nameOf = ({ type, name, more }: ChainPart): string =>
  `${type} ${name}${more === '' ? '' : ` (${more})`}`
