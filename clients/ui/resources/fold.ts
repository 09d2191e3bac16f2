import type { StreamedEvent } from '../../typescript/stream-line.js'

const ENDS = /(?:Deleted?|Deregistration|Destroyed|Invalidated)$/

export const isDeletion = ({ Type }: { readonly Type: string }): boolean => ENDS.test(Type)

/** Identifies a resource among all others. Services and checks of different nodes may share a key. */
export const identityOf = ({ Partition = '', Namespace, Key, FilterKeys, Topic }: StreamedEvent): string => {
  const node = Topic === 'Service' || Topic === 'Check' ? (FilterKeys ?? []) : []
  return JSON.stringify([Topic, Partition, Namespace, Key, ...node])
}
