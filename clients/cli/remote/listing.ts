// Flags that filter and sort lists of nodes, services and checks.
import { pairs, text, type FlagDefinitions, type FlagValues } from './flags.js'
import type { Row } from './output.js'
import type { Query } from '../../typescript/connection.js'

export const INSTANCE_COLUMNS = ['ID', 'Service', 'Address', 'Port', 'Tags'] as const

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

export interface CheckRow extends Row {
  readonly Output: string
}

/** Returns the checks with the first line of their output only. */
export const withShortOutput = (checks: readonly CheckRow[]): readonly Row[] =>
  checks.map(check => ({ ...check, Output: check.Output.split('\n', 1)[0] }))
