import { client } from '../session/session.js'
import type { PointInTime } from './as-of-state.js'

/** Returns the commit of a time or index. @param at the newest one when absent @throws RequestRefused */
export const pointInTimeAt = async (at?: string): Promise<PointInTime> => {
  const response = await client.value.connection.request('GET', '/v1/event/moment', { query: { at } })
  return response.json<PointInTime>()
}
