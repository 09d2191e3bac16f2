// Errors of reads of the ACL system, which bear the headers of a read too (spec: acl.md §1.5).
import { Refusal } from '../actors/refusal.js'
import type { Tenancy } from '../events/envelope.js'
import type { Views } from '../projections/views.js'
import type { Answer } from './answer.js'
import { problem } from './problems.js'
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

/** The read model of what a route reads. */
type Source = (views: Views) => { indexOf(tenancy: Tenancy): number }

const isResolved = (request: ApiRequest): boolean => {
  try {
    return request.authority !== undefined
  } catch {
    return false
  }
}

/** Whether the error says that there is no such thing, and not that the caller may not ask. */
const isOfLookup = (request: ApiRequest, { kind, message }: Refusal): boolean =>
  kind === 'missing' || (kind === 'denied' && message === 'ACL not found' && isResolved(request))

const answered = (request: ApiRequest, error: unknown, source: Source): Answer => {
  const isTold = error instanceof Refusal && (error.kind === 'denied' || error.kind === 'missing')
  if (!isTold) throw error
  const { app } = request
  const { status, body, type } = problem(error, app.logger)
  return isOfLookup(request, error)
    ? { status, body, type, headers: [], index: Math.max(source(app.views).indexOf(request.tenancy), 1) }
    : { status, body, type, headers: BEFORE_LOOKUP }
}

/** The routes, of which reads answer what is denied or missing with the headers of a read. */
export const withReadErrors = (routes: readonly Route[], source: Source): readonly Route[] =>
  routes.map(route => {
    if (route.method !== 'GET' || !route.blocking) return route
    const handle = (request: ApiRequest): Answer | Promise<Answer> => {
      try {
        const answer = route.handle(request)
        if (!(answer instanceof Promise)) return answer
        return answer.catch((error: unknown) => answered(request, error, source))
      } catch (error) {
        return answered(request, error, source)
      }
    }
    return { ...route, handle }
  })
