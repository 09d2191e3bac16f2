// What was there at an earlier commit, told as a stream would have told it then.
import type { Connection } from '../../../../client/connection.js'
import type { EventMessage } from '../../../../client/events.js'
import type { ThingsAsked } from './protocol.js'

/** @param topics what is listed @throws RequestRefused, Unreachable, the reason of the signal */
export const stateAt = async (
  connection: Connection,
  topics: readonly string[],
  { namespace, partition, at }: ThingsAsked,
  signal: AbortSignal
): Promise<readonly EventMessage[]> => {
  const query = { topic: topics, ns: namespace, partition, at }
  const answer = await connection.request('GET', '/v1/event/state', { query, signal })
  return answer.json<readonly EventMessage[]>()
}
