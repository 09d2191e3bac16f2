// Names of namespaces and partitions (spec: tenancy.md §1.1).
import { invalid } from './refusal.js'

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const RESERVED: ReadonlySet<string> = new Set(['system', 'universal', 'operator', 'root'])

/** Whether a lower-case text can name a namespace or partition: a DNS label of at most 63 characters. */
export const isTenancyName = (name: string): boolean => NAME.test(name)

/** @throws Refusal `invalid` for a name that a new namespace or partition cannot have */
export const checkNewName = (what: 'Namespace' | 'Partition', name: string): void => {
  if (name === '') throw invalid(`Invalid ${what}: Must specify a Name`)
  if (!isTenancyName(name))
    throw invalid(
      `Invalid ${what}: Name ${JSON.stringify(name)} must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
  if (RESERVED.has(name))
    throw invalid(`Invalid ${what}: Name ${JSON.stringify(name)} is reserved for future internal use`)
}
