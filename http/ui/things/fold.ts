// What is there now, from the events that made it so: each thing by its last event, until it ends.
import { castDraft, enableMapSet, produce } from 'immer'
import type { StreamedEvent } from '../../../client/stream-line.js'
import type { EventMessage } from '../../../client/events.js'

enableMapSet()

/** Things by what tells them apart. */
export type Things = ReadonlyMap<string, StreamedEvent>

const ENDS = /(?:Deleted?|Deregistration|Destroyed|Invalidated)$/

/** Whether its thing is gone after an event. */
export const isEnd = ({ Type }: { readonly Type: string }): boolean => ENDS.test(Type)

/** What tells a thing of a topic from the others. Services of several nodes may have one key. */
export const identityOf = ({ Partition = '', Namespace, Key, FilterKeys, Topic }: StreamedEvent): string => {
  const place = Topic === 'Service' || Topic === 'Check' ? (FilterKeys ?? []) : []
  return JSON.stringify([Partition, Namespace, Key, ...place])
}

/** The things after some messages of a stream. Those of before are left as they are. */
export const folded = (things: Things, messages: readonly EventMessage[]): Things =>
  produce(things, draft => {
    for (const { Events, Snapshot } of messages) {
      if (Snapshot === 'restart') draft.clear()
      for (const event of Events) {
        if (isEnd(event)) draft.delete(identityOf(event))
        else draft.set(identityOf(event), castDraft(event))
      }
    }
  })
