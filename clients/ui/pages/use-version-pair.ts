import type { StreamedEvent } from '../../typescript/stream-line.js'
import { nodeOf, type Version } from '../resources/kind.js'
import { useResponse, type ResponseState } from '../session/use-response.js'

/** Reads the version of an event and the one before it. @param event undefined for no request */
export const useVersionPair = (event: StreamedEvent | undefined): ResponseState<readonly Version[]> => {
  const { Topic, Key, Namespace, Partition, Index = 0 } = event ?? {}
  return useResponse<readonly Version[]>(event && '/v1/event/history', {
    topic: Topic,
    key: Key,
    ns: Namespace || undefined,
    partition: Partition || undefined,
    node: event && nodeOf(event),
    before: Index + 1,
    payload: true,
    limit: 2
  })
}
