// Intentions as the server answers them.
import { needed } from '../remote/flags.js'

export interface Intention {
  readonly SourcePartition?: string
  readonly SourceNS: string
  readonly SourceName: string
  readonly DestinationNS: string
  readonly DestinationName: string
  /** Absent where permissions decide. */
  readonly Action?: string
  readonly Permissions?: readonly unknown[]
  readonly Description?: string
  /** Of those that bear on a connection the one with the highest decides. */
  readonly Precedence: number
  readonly ID?: string
}

/** Arguments of commands about one of them. */
export const parties = {
  source: needed('service that connects'),
  destination: needed('service that is connected to')
}

export const EXACT = '/v1/connect/intentions/exact'

const named = (partition: string | undefined, namespace: string, name: string): string => {
  if (partition !== undefined && partition !== 'default') return `${partition}/${namespace}/${name}`
  return namespace === 'default' ? name : `${namespace}/${name}`
}

export const sourceOf = (each: Intention): string =>
  named(each.SourcePartition, each.SourceNS, each.SourceName)
export const destinationOf = (each: Intention): string =>
  named(undefined, each.DestinationNS, each.DestinationName)
export const actionOf = ({ Action, Permissions = [] }: Intention): string =>
  Action || `${Permissions.length} permissions`
