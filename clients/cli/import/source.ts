// What a server to import from shows, and what it may leave out.
import { RequestRefused } from '../../typescript/failures.js'
import type { Kind } from './kind.js'
import type { Permission, Reader } from './reader.js'
import type { Resource } from './resource.js'

export interface SourceContents {
  readonly resources: readonly Resource[]
  /** Why some of the kind may be missing. */
  readonly gaps: readonly string[]
}

const nameOf = ({ Resource, Access }: Permission): string => `${Resource}:${Access}`

/** Servers omit what a token may not read and answer 200, so the permissions are asked for. */
const gapsOf = async ({ needs = [], needsForAll }: Kind, reader: Reader): Promise<readonly string[]> => {
  if (needs.length === 0) return []
  try {
    const lacking = await reader.lacking(needsForAll ? [...needs, needsForAll] : needs)
    const missing = lacking.filter(permission => permission !== needsForAll)
    if (missing.length > 0)
      return [
        `the token of the source lacks ${missing.map(nameOf).join(' and ')}: what it may not read is missing`
      ]
    if (lacking.length > 0)
      return [
        `the token of the source lacks ${lacking.map(nameOf).join()}, so a narrower rule may hide some: a management token reads all`
      ]
    return []
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    return [`the source does not say what its token may read, so some may be missing: ${error.message}`]
  }
}

/** Reads a kind from a server. @throws RequestRefused, Unreachable */
export const readSource = async (kind: Kind, reader: Reader): Promise<SourceContents> => {
  const gaps = await gapsOf(kind, reader)
  const resources = await kind.read(reader)
  const isHidden = gaps.length === 0 && reader.isFiltered
  return { resources, gaps: isHidden ? ['the source hides some that its token may not read'] : gaps }
}
