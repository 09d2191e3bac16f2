// Which reads take what a server shows although it may not be the newest.
import { parseMilliseconds } from '../../events/duration.js'
import type { ApiRequest } from '../wire/request.js'

/** Whether a reader takes what is shown. @param lastContact for how long nothing has proved that it is the newest, in ms */
export const takesOld = ({ query }: ApiRequest, lastContact: number): boolean => {
  if (query.isEmpty || query.has('consistent')) return false
  const bound = parseMilliseconds(query.get('max_stale') ?? '') ?? 0
  return bound > 0 ? lastContact <= bound : query.has('stale')
}
