// Finds the secrets of deleted resources in the log.
import type { Event } from '../../events/envelope.js'
import type { CommitErasure } from '../../events/erasure.js'
import type { EventLog } from '../../events/log/log.js'
import { lifecycles } from '../aggregates.js'
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { OIDC_REQUEST_TOPIC } from '../../events/oidc-request.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { TOKEN_TOPIC } from '../../events/token.js'

/** Topics of resources that may have secrets, which are erased after the deletion of the resource. */
export const SECRET_TOPICS: readonly string[] = [
  TOKEN_TOPIC,
  AUTH_METHOD_TOPIC,
  OIDC_REQUEST_TOPIC,
  QUERY_TOPIC,
  CURSOR_TOPIC,
  CHECK_TOPIC
]

type Head = Pick<Event, 'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'>

export type DeletedResource = Omit<Head, 'Type'>

export const deletionsAmong = <E extends Head>(events: readonly E[]): readonly E[] =>
  events.filter(event => SECRET_TOPICS.includes(event.Topic) && lifecycles.isEnding(event))

export const resourcesDeletedBy = async (log: EventLog, index: number): Promise<readonly DeletedResource[]> =>
  deletionsAmong(await eventsAt(log, index))

/** Finds the secrets of resources deleted by a commit. Costs a look-up per resource in each log file. */
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
      // The stored response may contain them.
      if (secrets.length > 0) yield { index: Index, secrets, answer: true }
    }
}

/** Empty for a pruned commit, whose secrets were pruned too. */
async function eventsAt(log: EventLog, index: number): Promise<readonly Event[]> {
  if (index < log.firstIndex) return []
  for await (const { Events } of log.read(index)) return Events
  return []
}
