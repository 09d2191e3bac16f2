// Denied reads of the ACL system, which bear the headers of a read too (spec: acl.md §1.5).
import { Refusal } from '../actors/refusal.js'
import type { Answer } from './answer.js'
import { refusal } from './problems.js'
import type { ApiRequest } from './request.js'
import type { Route } from './route.js'

/** What an error tells that comes before anything was looked up. */
const BEFORE_LOOKUP: readonly string[] = [
  'X-Service-Index',
  '1',
  'X-Service-KnownLeader',
  'false',
  'X-Service-LastContact',
  '0'
]

const answered = (request: ApiRequest, error: unknown): Answer => {
  if (!(error instanceof Refusal && error.kind === 'denied')) throw error
  const answer = refusal(request, error)
  return { ...answer, headers: [...answer.headers, ...BEFORE_LOOKUP] }
}

/** The routes, of which reads answer who may not ask with the headers of a read. */
export const withReadErrors = (routes: readonly Route[]): readonly Route[] =>
  routes.map(route => {
    if (route.method !== 'GET' || !route.blocking) return route
    const handle = (request: ApiRequest): Answer | Promise<Answer> => {
      try {
        const answer = route.handle(request)
        if (!(answer instanceof Promise)) return answer
        return answer.catch((error: unknown) => answered(request, error))
      } catch (error) {
        return answered(request, error)
      }
    }
    return { ...route, handle }
  })
