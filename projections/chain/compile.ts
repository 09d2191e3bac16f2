import { byText } from '../row-table.js'
import type { ConfigLookup } from '../config/rows.js'
import { serviceText, type Chain, type ChainNode, type EntryRef } from './chain.js'
import {
  Compilation,
  isL7,
  type ChainQuestion,
  type UnfinishedNode,
  type UnfinishedSplit,
  type UnfinishedSplitter,
  customizationHash,
  NO_OVERRIDES
} from './compilation.js'
import { start } from './routers.js'

/** Limit of splits that nested splitters amount to. More could not all have a weight of a hundredth. */
const MAX_SPLITS = 10_000

const float32 = Math.fround

/** Rounds half up to hundredths, in the precision of the reference. */
const normalised = (weight: number): number => Math.floor(float32(weight * 100) + 0.5) / 100

const combined = (outer: number, inner: number): number =>
  normalised(float32(float32(float32(outer) * float32(inner)) / 100))

/** Replaces each split to a splitter by the splits of that one, innermost first. @throws CompileError for a circular reference, or too many splits */
const flattenSplitters = (compilation: Compilation): void => {
  const done = new Set<string>()
  const path: string[] = []
  let combinedCount = 0

  const splitterAt = (key: string): UnfinishedSplitter | undefined => {
    const node = compilation.nodes.get(key)
    return node?.Type === 'splitter' ? node : undefined
  }

  const flatten = (key: string, node: UnfinishedSplitter): void => {
    if (done.has(key)) return
    const at = path.indexOf(key)
    if (at >= 0) throw circular(compilation, [...path.slice(at), key])
    path.push(key)
    const splits: UnfinishedSplit[] = []
    for (const split of node.splits) {
      const inner = splitterAt(split.next)
      if (!inner) splits.push(split)
      else {
        flatten(split.next, inner)
        combinedCount += inner.splits.length
        if (combinedCount > MAX_SPLITS)
          throw compilation.fail(`splitters behind splitters make more than ${MAX_SPLITS} splits`, [
            node.entry
          ])
        for (const { weight, next } of inner.splits)
          splits.push({ weight: combined(split.weight, weight), next })
      }
    }
    node.splits = splits
    path.pop()
    done.add(key)
  }

  for (const [key, node] of compilation.nodes) if (node.Type === 'splitter') flatten(key, node)
}

const circular = (compilation: Compilation, path: readonly string[]): Error =>
  compilation.fail(
    `detected circular reference: [${path.join(' -> ')}]`,
    path.slice(1).flatMap(key => {
      const node = compilation.nodes.get(key)
      return node?.Type === 'splitter' ? [node.entry] : []
    })
  )

const shown = (node: UnfinishedNode): ChainNode => {
  if (node.Type !== 'splitter') return node
  const { Type, Name, splits, loadBalancer } = node
  return {
    Type,
    Name,
    Splits: splits.map(({ weight, next }) =>
      weight === 0 ? { NextNode: next } : { Weight: weight, NextNode: next }
    ),
    ...(loadBalancer ? { LoadBalancer: loadBalancer } : {})
  }
}

const nextNodes = (node: UnfinishedNode): readonly string[] => {
  switch (node.Type) {
    case 'router':
      return node.Routes.map(({ NextNode }) => NextNode)
    case 'splitter':
      return node.splits.map(({ next }) => next)
    case 'resolver':
      return []
  }
}

/** The nodes that are reachable from the start, in the order of their keys. */
const reachable = (compilation: Compilation, startNode: string): Record<string, ChainNode> => {
  const found = new Map<string, UnfinishedNode>()
  const open = [startNode]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const node = compilation.nodes.get(key)
    if (!node || found.has(key)) continue
    found.set(key, node)
    open.push(...nextNodes(node))
  }
  const sorted = [...found].toSorted(([a], [b]) => byText(a, b))
  return Object.fromEntries(sorted.map(([key, node]) => [key, shown(node)]))
}

const finalProtocol = (compilation: Compilation): string => {
  const { question, overrides, advancedBy } = compilation
  const protocol = compilation.protocol?.name ?? ''
  if (advancedBy && !isL7(protocol))
    throw compilation.fail(
      `discovery chain ${serviceText(question.service, question.tenancy)} uses a protocol "${protocol}" that does ` +
        'not permit advanced routing or splitting behavior',
      [advancedBy, ...(compilation.protocol?.from ?? [])]
    )
  if (overrides.protocol === '' || overrides.protocol === protocol) return protocol
  compilation.used.protocol = true
  return overrides.protocol
}

const hashOf = ({ used, overrides }: Compilation): string | undefined =>
  used.protocol || used.connectTimeout || used.meshGatewayMode
    ? customizationHash({
        protocol: used.protocol ? overrides.protocol : '',
        connectTimeout: used.connectTimeout ? overrides.connectTimeout : 0,
        meshGatewayMode: used.meshGatewayMode ? overrides.meshGatewayMode : ''
      })
    : undefined

/** The properties of a chain that other entries depend on. */
export interface ChainOutcome {
  readonly protocol: string
  /** Key of the first node. */
  readonly startNode: string
}

const completed = (compilation: Compilation): ChainOutcome => {
  const startNode = start(compilation)
  flattenSplitters(compilation)
  return { startNode, protocol: finalProtocol(compilation) }
}

const compilationOf = (question: ChainQuestion, entries: ConfigLookup): Compilation =>
  new Compilation(question, entries, question.overrides ?? NO_OVERRIDES)

/** Compiles the chain of a service as `compileChain`, without its view. @throws CompileError */
export const checkChain = (question: ChainQuestion, entries: ConfigLookup): ChainOutcome =>
  completed(compilationOf(question, entries))

/**
 * Compiles the chain of a service (spec: config.md §7). Pure: the same entries give the same chain. Takes time linear in the entries of the
 * chain and in the splits that nested splitters amount to.
 * @returns the chain, and every entry looked up, whether it exists or not: the chain depends on these only
 * @throws CompileError if the entries contradict each other, are circular, or name missing subsets
 */
export const compileChain = (
  question: ChainQuestion,
  entries: ConfigLookup
): { readonly chain: Chain; readonly reads: readonly EntryRef[] } => {
  const compilation = compilationOf(question, entries)
  const { startNode, protocol } = completed(compilation)
  const hash = hashOf(compilation)
  const { partition, namespace } = question.tenancy
  return {
    chain: {
      ServiceName: question.service,
      Namespace: namespace,
      ...(partition === 'default' ? {} : { Partition: partition }),
      Datacenter: question.datacenter,
      ...(hash === undefined ? {} : { CustomizationHash: hash }),
      Protocol: protocol,
      StartNode: startNode,
      Nodes: reachable(compilation, startNode),
      Targets: Object.fromEntries(compilation.targets.kept().map(target => [target.ID, target]))
    },
    reads: compilation.reads
  }
}
