// Namespaces and partitions, as the API tells them.
import type { Link } from '../../access/forms/acl-resources.js'

interface Stored {
  readonly Name: string
  readonly Description?: string
  /** There while it is being deleted. */
  readonly DeletedAt?: string
  readonly ModifyIndex: number
}

export interface Namespace extends Stored {
  readonly ACLs?: {
    readonly PolicyDefaults?: readonly Link[] | null
    readonly RoleDefaults?: readonly Link[] | null
  }
  readonly Meta?: Readonly<Record<string, string>>
  readonly Partition?: string
}

export interface Partition extends Stored {
  readonly DisableGossip?: boolean
}

/** Always there. */
export const BUILT_IN = 'default'

/** A pair a line, as `name = value`. */
export const metaText = (meta: Readonly<Record<string, string>> = {}): string =>
  Object.entries(meta)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')

/** @throws Error naming a line that is no pair */
export const metaIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => {
        const at = line.indexOf('=')
        if (at < 1) throw new Error(`"${line.trim()}" is not a pair such as owner = team`)
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      })
  )
