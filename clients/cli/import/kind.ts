import { recovery } from '../../../events/errors.js'
import type { Query } from '../../typescript/connection.js'
import type { Permission, Reader } from './reader.js'
import type { Resource } from './resource.js'
import { RequestRefused } from '../../typescript/failures.js'

export interface Writing {
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Query
  /** Sent as JSON, except bytes. */
  readonly body?: unknown
}

/** Both servers are read in the same way. */
export interface Kind {
  /** As in `--only`. */
  readonly name: string
  /** Other kinds are read in `default` only. */
  readonly isNamespaced: boolean
  /** Imported only if `--only` names it. */
  readonly isByChoice?: true
  /** Permissions without which the server silently omits entries from lists. */
  readonly needs?: readonly Permission[]
  /** The permission that no narrower rule limits. */
  readonly needsForAll?: Permission
  /** @throws RequestRefused, Unreachable */
  readonly read: (reader: Reader) => Promise<readonly Resource[]>
  /** Returns known obstacles by resource name before the first write. @throws RequestRefused, Unreachable */
  readonly foreseen?: (resources: readonly Resource[], target: Reader) => Promise<ReadonlyMap<string, string>>
  /** @param there the resource on the target */
  readonly writing: (resource: Resource, there: Resource | undefined) => readonly Writing[]
  /** Writes several resources atomically. */
  readonly together?: (resources: readonly Resource[]) => Writing
}

export interface SourceContents {
  readonly resources: readonly Resource[]
  /** Reasons why some resources may be missing. */
  readonly gaps: readonly string[]
}

const nameOf = ({ Resource, Access }: Permission): string => `${Resource}:${Access}`

/** Servers silently omit what a token may not read, so its permissions are checked. */
const gapsOf = async ({ needs = [], needsForAll }: Kind, reader: Reader): Promise<readonly string[]> => {
  if (needs.length === 0) return []
  const lacking = await reader.lacking(needsForAll ? [...needs, needsForAll] : needs)
  const missing = lacking.filter(permission => permission !== needsForAll)
  if (missing.length > 0)
    return [
      `the token of the source lacks ${missing.map(nameOf).join(' and ')}: what it may not read is missing`
    ]
  if (lacking.length === 0) return []
  return [
    `the token of the source lacks ${lacking.map(nameOf).join()}, so a narrower rule may hide some: a management token reads all`
  ]
}

const unknownGaps = recovery(RequestRefused, ({ message }) => [
  `the source does not say what its token may read, so some may be missing: ${message}`
])

/** @throws RequestRefused, Unreachable */
export const readSource = async (kind: Kind, reader: Reader): Promise<SourceContents> => {
  const gaps = await gapsOf(kind, reader).catch(unknownGaps)
  const resources = await kind.read(reader)
  const isHidden = gaps.length === 0 && reader.isFiltered
  return { resources, gaps: isHidden ? ['the source hides some that its token may not read'] : gaps }
}
