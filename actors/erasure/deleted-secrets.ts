import type { Event } from '../../events/envelope.js'
import type { CommitErasure } from '../../events/erasure.js'
import { isEventOf, type LogReader, resourceOf } from '../../events/log/log.js'
import { type Kind, lifecycles } from '../aggregates.js'

type Topic = Kind | 'Check'

/** Topics of resources that may have secrets, which are erased after the deletion of the resource. */
export const SECRET_TOPICS: ReadonlySet<string> = new Set<Topic>([
  'ACLToken',
  'ACLAuthMethod',
  'OIDCRequest',
  'PreparedQuery',
  'Cursor',
  'Check'
])

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

export type DeletedResource = Omit<Head, 'Type'>

export const deletionsAmong = <E extends Head>(events: readonly E[]): readonly E[] =>
  events.filter(event => SECRET_TOPICS.has(event.Topic) && lifecycles.isEnding(event))

export const resourcesDeletedBy = async (
  log: LogReader,
  index: number
): Promise<readonly DeletedResource[]> => deletionsAmong(await eventsAt(log, index))

/** Finds the secrets of resources deleted by a commit. Costs a look-up per resource in each log file. */
export async function* secretsDeletedBy(log: LogReader, index: number): AsyncGenerator<CommitErasure> {
  for (const deleted of (await resourcesDeletedBy(log, index)).map(resourceOf))
    for await (const { Index, Events } of log.history(deleted)) {
      if (Index > index) break
      const secrets = Events.flatMap((event, number) =>
        isEventOf(event, deleted) && event.Secrets ? [number] : []
      )
      // The stored response may contain them.
      if (secrets.length > 0) yield { index: Index, secrets, answer: true }
    }
}

/** Empty for a pruned commit, whose secrets were pruned too. */
async function eventsAt(log: LogReader, index: number): Promise<readonly Event[]> {
  if (index < log.firstIndex) return []
  for await (const { Events } of log.read(index)) return Events
  return []
}
