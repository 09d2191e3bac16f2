// Compiles the discovery chain of a service from the configuration entries that bear on it (spec: config.md §7).
import type { ConfigLookup } from '../config/lookup.js'
import type { Chain, ChainNode } from './chain.js'
import { Draft, isL7, type ChainQuestion, type NodeDraft } from './compilation.js'
import { serviceText, type EntryRef } from './entries.js'
import { flattenSplitters } from './flatten.js'
import { customizationHash, NO_OVERRIDES } from './overrides.js'
import { start } from './routers.js'

export interface Compilation {
  readonly chain: Chain
  /** Every entry looked up, found or not: the chain stays the same as long as these do. */
  readonly reads: readonly EntryRef[]
}

const shown = (node: NodeDraft): ChainNode => {
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

const nextNodes = (node: NodeDraft): readonly string[] => {
  switch (node.Type) {
    case 'router':
      return node.Routes.map(({ NextNode }) => NextNode)
    case 'splitter':
      return node.splits.map(({ next }) => next)
    case 'resolver':
      return []
  }
}

/** The nodes on any way from the start, in the order of their keys. */
const reachable = (draft: Draft, startNode: string): Record<string, ChainNode> => {
  const found = new Map<string, NodeDraft>()
  const open = [startNode]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const node = draft.nodes.get(key)
    if (!node || found.has(key)) continue
    found.set(key, node)
    open.push(...nextNodes(node))
  }
  const keys = [...found.keys()].toSorted()
  return Object.fromEntries(
    keys.flatMap(key => {
      const node = found.get(key)
      return node ? [[key, shown(node)]] : []
    })
  )
}

const finalProtocol = (draft: Draft): string => {
  const { question, overrides, advancedBy } = draft
  const protocol = draft.protocol?.name ?? ''
  if (advancedBy && !isL7(protocol))
    throw draft.fail(
      `discovery chain ${serviceText(question.service, question.tenancy)} uses a protocol "${protocol}" that does ` +
        'not permit advanced routing or splitting behavior',
      [advancedBy, ...(draft.protocol?.from ?? [])]
    )
  if (overrides.protocol === '' || overrides.protocol === protocol) return protocol
  draft.used.protocol = true
  return overrides.protocol
}

const hashOf = ({ used, overrides }: Draft): string | undefined =>
  used.protocol || used.connectTimeout || used.meshGatewayMode
    ? customizationHash({
        protocol: used.protocol ? overrides.protocol : '',
        connectTimeout: used.connectTimeout ? overrides.connectTimeout : 0,
        meshGatewayMode: used.meshGatewayMode ? overrides.meshGatewayMode : ''
      })
    : undefined

/**
 * The chain of a service, from the entries as they are found. Pure: the same entries give the same chain. Costs time
 * linear in the entries that bear on the chain and in the splits that splitters behind splitters amount to.
 * @throws CompileError when the entries contradict each other, lead in a circle, or name what does not exist
 */
export const compileChain = (question: ChainQuestion, entries: ConfigLookup): Compilation => {
  const draft = new Draft(question, entries, question.overrides ?? NO_OVERRIDES)
  const startNode = start(draft)
  flattenSplitters(draft)
  const protocol = finalProtocol(draft)
  const hash = hashOf(draft)
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
      Nodes: reachable(draft, startNode),
      Targets: Object.fromEntries(draft.targets.kept().map(target => [target.ID, target]))
    },
    reads: draft.reads
  }
}
