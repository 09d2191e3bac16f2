// What the import knows of each kind of resources.
import type { Query } from '../../typescript/connection.js'
import type { Permission, Reader } from './reader.js'
import type { Resource } from './resource.js'

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
