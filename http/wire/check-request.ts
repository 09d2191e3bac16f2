import { Refusal } from '../../actors/refusal.js'
import { asksForCheckpoint } from './log-evidence.js'
import { checkDatacenter } from './datacenter-routing.js'
import { refuseUnknown } from './query-parameters.js'
import { requireOneConsistency } from './reads/blocking.js'
import { reasonOf } from './reason.js'
import type { RequestContext } from './request-context.js'
import type { Route } from './route.js'

const isAclPath = (path: string): boolean => /^\/v1\/((internal\/)?acl|agent\/token)\//.test(path)

/** Validates what every request has in common. @throws Refusal */
export const checkRequest = (route: Route, request: RequestContext): void => {
  const { incoming, query, settings } = request
  if (!settings.acl.enabled && isAclPath(route.path)) throw new Refusal('disabled', 'ACL support disabled')
  if (!query.isSound) throw new Refusal('invalid', 'Bad request: the query string cannot be decoded')
  checkDatacenter(route, request)
  if (route.method === 'GET' && (route.consistency ?? 'none') !== 'none') requireOneConsistency(query)
  if (route.refusesUnknown) refuseUnknown(route, query)
  reasonOf(incoming)
  asksForCheckpoint(incoming)
}

/** Rejects an unknown token if the route needs one. @throws Refusal `denied` */
export const checkToken = ({ access }: Route, request: RequestContext): void => {
  if (access.resolvesToken && !access.isByContent) request.requireToken()
}
