// What events say of their things: which thing it is, and whether it is gone.
import type { StreamedEvent } from '../../typescript/stream-line.js'

const ENDS = /(?:Deleted?|Deregistration|Destroyed|Invalidated)$/

/** Whether its thing is gone after an event. */
export const isDeletion = ({ Type }: { readonly Type: string }): boolean => ENDS.test(Type)

/** What tells a thing from all others. Services of several nodes may have one key. */
export const identityOf = ({ Partition = '', Namespace, Key, FilterKeys, Topic }: StreamedEvent): string => {
  const place = Topic === 'Service' || Topic === 'Check' ? (FilterKeys ?? []) : []
  return JSON.stringify([Topic, Partition, Namespace, Key, ...place])
}
