// Errors of reads, which bear the headers of a read too: clients look for them before they look at the status
// (spec: acl.md §1.5, state.md §1).
import type { RouteResponse } from './response.js'
import { readImmediately } from './reads/blocking.js'
import type { RouteFacts } from './route.js'

const NOT_FOUND = 404

/** What an error tells that comes before anything was looked up. */
const BEFORE_LOOKUP: readonly string[] = [
  'X-Service-Index',
  '1',
  'X-Service-KnownLeader',
  'false',
  'X-Service-LastContact',
  '0'
]

/** Whether the answers of a route bear an index. */
const isRead = ({ method, blocking = false, consistency = 'none' }: RouteFacts): boolean =>
  blocking || (method === 'GET' && consistency !== 'none')

/** The error as an answer of this route. What was looked up and not found is known as any other state is. */
export const readError = (route: RouteFacts, answer: RouteResponse): RouteResponse => {
  if (!isRead(route)) return answer
  if (answer.status === NOT_FOUND) return readImmediately(answer)
  return { ...answer, headers: [...answer.headers, ...BEFORE_LOOKUP] }
}
