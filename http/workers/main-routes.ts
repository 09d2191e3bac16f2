// What a worker has the main process answer although nothing is written: what only that keeps, or reads the whole log.
import type { ApiRequest } from '../wire/request.js'
import type { Route } from '../wire/route.js'

const STREAM = '/v1/event/stream'
/** Evidence, cursors, the audit, versions of before, and the archive. */
const OF_MAIN = ['/v1/event/', '/v1/history/', '/v1/snapshot', '/v1/internal/'] as const

export const isOfMain = ({ path }: Route, { query }: ApiRequest): boolean =>
  (path !== STREAM && OF_MAIN.some(prefix => path.startsWith(prefix))) ||
  (!query.isEmpty && (query.has('at') || query.has('diff')))
