// Flags that filter and sort lists of nodes, services and checks.
import { pairs, text, type FlagDefinitions, type FlagValues } from './flags.js'
import type { Query } from '../../typescript/connection.js'

export interface ServiceInstance {
  readonly ID: string
  readonly Service: string
  readonly Address: string
  readonly Port: number
  readonly Tags: readonly string[] | null
}

export const filtering = {
  filter: text('expression', 'only those that it holds for, such as \'Meta.rack == "a"\'')
} satisfies FlagDefinitions

export const nodeListing = {
  ...filtering,
  near: text('node', 'the nearest to this node first; _agent is the server asked'),
  nodeMeta: pairs('only on nodes with this metadata')
} satisfies FlagDefinitions

/** Returns `name:value` pairs. */
export const metaQuery = (meta: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(meta).map(([name, value]) => `${name}:${value}`)

export const nodeQuery = ({ filter, near, nodeMeta }: FlagValues<typeof nodeListing>): Query => ({
  filter,
  near,
  'node-meta': metaQuery(nodeMeta)
})

/** Returns `a=1, b=2`, sorted by name. */
export const metaText = (meta: Readonly<Record<string, string>> | null | undefined): string =>
  Object.entries(meta ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
