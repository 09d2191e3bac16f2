import { Refusal } from '../../actors/refusal.js'
import { CHECKPOINT, requestsCheckpoint } from './log-evidence.js'
import { checkDatacenter } from './datacenter-routing.js'
import { IDEMPOTENCY, idempotencyKeyOf } from './idempotency/key.js'
import { refuseUnknown } from './query-parameters.js'
import { requireOneConsistency } from './reads/blocking.js'
import { REASON, reasonOf } from './reason.js'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

const isAclPath = (path: string): boolean => /^\/v1\/((internal\/)?acl|agent\/token)\//.test(path)

/** Validates what every request has in common, and sets the facts of a write that its headers state. @throws Refusal */
export const checkRequest = (route: Route, request: RequestContext): undefined => {
  const { query, settings } = request
  if (!settings.acl.enabled && isAclPath(route.path))
    throw new Refusal('acl.disabled', 'ACL support disabled')
  if (!query.isEmpty) {
    if (!query.isSound)
      throw new Refusal('request.invalid', 'Bad request: the query string cannot be decoded')
    checkDatacenter(route, request)
    if (route.method === 'GET' && (route.consistency ?? 'none') !== 'none') requireOneConsistency(query)
    if (route.refusesUnknown) refuseUnknown(route, query)
  }
  if (request.method === 'GET') return undefined
  const { headers } = request
  if (headers[REASON] !== undefined) request.reason = reasonOf(request)
  if (headers[CHECKPOINT] !== undefined) request.wantsCheckpoint = requestsCheckpoint(request)
  if (headers[IDEMPOTENCY] !== undefined) request.idempotencyKey = idempotencyKeyOf(route, request)
  return undefined
}
