// The secrets of what has ended: in which commits they are.
import type { Event } from '../../events/envelope.js'
import type { CommitErasure } from '../../events/commit-erasure.js'
import type { EventLog } from '../../events/log/log.js'
import { lifecycles } from '../aggregates.js'
import { SECRET_TOPICS } from './secret-topics.js'

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

/** Something that has ended. */
export type DeletedResource = Omit<Head, 'Type'>

/** The events among them that end something which may have secrets. */
export const deletionsAmong = <E extends Head>(events: readonly E[]): readonly E[] =>
  events.filter(event => SECRET_TOPICS.includes(event.Topic) && lifecycles.isEnding(event))

/** What may have had secrets and was ended by a commit. */
export const resourcesDeletedBy = async (log: EventLog, index: number): Promise<readonly DeletedResource[]> =>
  deletionsAmong(await eventsAt(log, index))

/** The secrets of all that a commit has ended, up to that commit. Costs one look into each file of the log for each thing. */
export async function* secretsDeletedBy(log: EventLog, index: number): AsyncGenerator<CommitErasure> {
  for (const { Topic, Partition, Namespace, Key } of deletionsAmong(await eventsAt(log, index)))
    for await (const { Index, Events } of log.history(Topic, Partition, Namespace, Key)) {
      if (Index > index) break
      const secrets = Events.flatMap((event, number) =>
        event.Topic === Topic &&
        event.Key === Key &&
        event.Namespace === Namespace &&
        event.Partition === Partition &&
        event.Secrets
          ? [number]
          : []
      )
      // What was answered may tell of them.
      if (secrets.length > 0) yield { index: Index, secrets, answer: true }
    }
}

/** None when the commit was let go: its secrets went with it. */
async function eventsAt(log: EventLog, index: number): Promise<readonly Event[]> {
  if (index < log.firstIndex) return []
  for await (const { Events } of log.read(index)) return Events
  return []
}
