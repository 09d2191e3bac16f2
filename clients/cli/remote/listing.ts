// Flags that filter and sort lists of nodes, services and checks.
import type { Schemas } from '../../typescript/typed/index.js'
import { pairs, text, type FlagDefinitions, type FlagValues } from './flags.js'

export const INSTANCE_COLUMNS = ['ID', 'Service', 'Address', 'Port', 'Tags'] as const

export const filtering = {
  filter: text('expression', 'only entries that match, such as \'Meta.rack == "a"\'')
} satisfies FlagDefinitions

export const nodeListing = {
  ...filtering,
  near: text('node', 'sort by the distance from this node; _agent is the node of the server'),
  nodeMeta: pairs('only on nodes with this metadata')
} satisfies FlagDefinitions

/** Returns `name:value` pairs. */
export const metaQuery = (meta: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(meta).map(([name, value]) => `${name}:${value}`)

export const nodeQuery = ({ filter, near, nodeMeta }: FlagValues<typeof nodeListing>) => ({
  filter,
  near,
  'node-meta': metaQuery(nodeMeta)
})

/** Returns the checks with the first line of their output only. */
export const withShortOutput = (checks: readonly Schemas['HealthCheck'][]) =>
  checks.map(check => ({ ...check, Output: check.Output.split('\n', 1)[0] }))
