// Errors of reads, which carry the headers of a read, since clients check those before the status (spec: acl.md §1.5, state.md §1).
import { contactHeaders } from './contact.js'
import type { RouteResponse } from './response.js'
import { readImmediately } from './reads/blocking.js'
import type { RouteFacts } from './route.js'

const NOT_FOUND = 404

const BEFORE_LOOKUP: readonly string[] = [
  'X-Service-Index',
  '1',
  ...contactHeaders({ isLeaderKnown: false, lastContact: 0 })
]

const isRead = ({ method, blocking = false, consistency = 'none' }: RouteFacts): boolean =>
  blocking || (method === 'GET' && consistency !== 'none')

export const readError = (route: RouteFacts, answer: RouteResponse): RouteResponse => {
  if (!isRead(route)) return answer
  if (answer.status === NOT_FOUND) return readImmediately(answer)
  return { ...answer, headers: [...answer.headers, ...BEFORE_LOOKUP] }
}
