// What the import knows of each kind of resources.
import type { Query } from '../../typescript/connection.js'
import type { Permission, Reader } from './reader.js'
import type { Resource } from './resource.js'
import { RequestRefused } from '../../typescript/failures.js'

/** A request that writes one resource, or several. */
export interface Writing {
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Query
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

/** Resources of one kind: read in the same way from both servers. */
export interface Kind {
  /** In the singular, as in `--only`. */
  readonly name: string
  /** Whether each namespace has its own; else they are looked for in `default` alone. */
  readonly isNamespaced: boolean
  /** Only imported when it is asked for. */
  readonly isByChoice?: true
  /** Permissions on all names, without which a server omits entries from the list and answers 200. */
  readonly needs?: readonly Permission[]
  /** The permission that no narrower rule can limit: a token that has it reads every name. */
  readonly needsForAll?: Permission
  /** @throws RequestRefused, Unreachable */
  readonly read: (reader: Reader) => Promise<readonly Resource[]>
  /** Why resources cannot be imported, by their names, as far as it is known before anything is written. @throws RequestRefused, Unreachable */
  readonly foreseen?: (resources: readonly Resource[], target: Reader) => Promise<ReadonlyMap<string, string>>
  /** How one is written. @param there the same resource as the server shows it that takes it */
  readonly writing: (resource: Resource, there: Resource | undefined) => readonly Writing[]
  /** How several new or changed ones are written at once, all or none of them. */
  readonly together?: (resources: readonly Resource[]) => Writing
}

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
