import { client } from '../session/session.js'
import type { PointInTime } from './as-of-state.js'

/** Returns the commit of a time or index. @param at the newest one when undefined @throws RequestRefused */
export const pointInTimeAt = async (at: string | undefined, signal: AbortSignal): Promise<PointInTime> => {
  const response = await client.value.connection.request('GET', '/v1/event/moment', { query: { at }, signal })
  return response.json<PointInTime>()
}
