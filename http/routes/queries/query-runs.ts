// Prepared queries: execute and explain (spec: queries.md §6, §7).
import { invalid } from '../../../actors/refusal.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import { executedJson } from '../../../projections/queries/execute.js'
import { queryObject } from '../../../projections/queries/query-row.js'
import { canonicalAddress } from '../../../projections/ip-address.js'
import { json, jsonText, type Body, type RouteResponse } from '../../wire/response.js'
import { sourceDatacenterOf } from '../../wire/datacenter-routing.js'
import { readImmediately, readOptions, consistencyHeaders } from '../../wire/reads/blocking.js'
import type { ReadCache } from '../../wire/reads/serialized-lists.js'
import type { QueryRunner, QueryResult } from './query-run.js'
import type { PeerContact } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, anyToken, route, type Route } from '../../wire/route.js'
import { executed, explained } from '../../schemas/query.js'
import { isListed, queryFacts, queryNotFound } from './queries.js'

const facts = { ...queryFacts, method: 'GET', consistency: 'all' } as const

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['', '0', 'f', 'F', 'FALSE', 'false', 'False'])
const INTEGER = /^[+-]?\d{1,18}$/

/** @throws Refusal `invalid` */
const limitOf = ({ query }: RequestContext): number => {
  const limit = query.get('limit') ?? ''
  if (limit === '') return 0
  if (!INTEGER.test(limit)) throw invalid('query.invalid', `Bad limit: "${limit}" is not an integer`)
  return Number(limit)
}

/** @throws Refusal `invalid` */
const connectOf = ({ query }: RequestContext): boolean => {
  const connect = query.get('connect') ?? ''
  if (TRUE.has(connect)) return true
  if (FALSE.has(connect)) return false
  throw invalid('query.invalid', `Bad connect: "${connect}" is neither true nor false`)
}

/** Returns the first address of X-Forwarded-For if it is valid, else the peer's (queries.md §6.3). */
const addressOf = (request: RequestContext): string => {
  const forwarded = request.header('x-forwarded-for')?.split(',')[0]?.trim()
  return (
    (forwarded === undefined ? undefined : canonicalAddress(forwarded)) ??
    canonicalAddress(request.address) ??
    ''
  )
}

const toAnswer = (
  request: RequestContext,
  { found, executed: done }: QueryResult
): RouteResponse | Promise<RouteResponse> => {
  const answer = (body: Body): RouteResponse => readImmediately(jsonText(body, consistencyHeaders(request)))
  if (done.instances.length < 2) return answer(found.textWith(done.instances[0], done))
  const serialized = request.runInChunks(executedJson(found, done))
  return serialized instanceof Promise ? serialized.then(answer) : answer(serialized)
}

const executeQuery = (
  request: RequestContext,
  name: string,
  runner: QueryRunner,
  cache: ReadCache
): RouteResponse | Promise<RouteResponse> => {
  readOptions(request)
  const { secret, now, query } = request
  const limit = limitOf(request)
  const connect = connectOf(request)
  const near = query.filled('near')
  const run = (): RouteResponse | Promise<RouteResponse> => {
    const isFromElsewhere = sourceDatacenterOf(request) !== undefined
    const address = (): string => addressOf(request)
    const ran = runner.run({ name, secret, now, limit, connect, near, isFromElsewhere, address })
    return ran instanceof Promise ? ran.then(done => toAnswer(request, done)) : toAnswer(request, ran)
  }
  if (!query.has('cached')) return run()
  const rights = (): Authorizer | undefined => runner.rights({ name, secret, now })
  return cache.simple(request, ['query/execute', name, String(limit), String(connect)], run, rights)
}

/** Returns the reference's metadata of a read (queries.md §6.2, §7). */
const metaOf = ({ isLeaderKnown, lastContact }: PeerContact) => ({
  Index: 1,
  LastContact: lastContact,
  KnownLeader: isLeaderKnown,
  ConsistencyLevel: 'leader',
  NotModified: false,
  Backend: 0
})

const explainQuery = (request: RequestContext, name: string, runner: QueryRunner): RouteResponse => {
  readOptions(request)
  limitOf(request)
  const { row, service } = runner.resolve(name)
  const inClear = request.may('acl', 'write')
  if (!isListed(request, row.query)) {
    if (row.query.Name !== '' || row.isTemplate) throw request.denial('query', 'read', row.query.Name)
    throw request.denial('acl', 'write')
  }
  const Query = queryObject(row.query, inClear ? row.token : row.query.Token, service)
  return readImmediately(json({ Query, ...metaOf(request.contact) }, consistencyHeaders(request)))
}

/** Names with slashes have their own route. The end of the path names the operation. */
const EXECUTE = '/execute'
const EXPLAIN = '/explain'

export const queryRunRoutes = (runner: QueryRunner, cache: ReadCache): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/query/:id/execute',
    operationId: 'executeQuery',
    summary: 'Execute a prepared query by ID, name, or a name that a template is for',
    access: anyToken('service:read and node:read on what is found, by the token of the query if it has one'),
    caching: 'simple',
    query: {
      near: 'Node to sort by distance from: a name, _agent or _ip',
      limit: 'Most instances in the answer; 0 for all',
      connect: 'Only instances that Connect reaches'
    },
    response: executed,
    handle: request => executeQuery(request, request.param('id'), runner, cache)
  }),
  route({
    ...facts,
    path: '/v1/query/:id/explain',
    operationId: 'explainQuery',
    summary: 'Show a prepared query as it is executed under a name',
    access: requires(
      'query:read',
      'on the name; acl:write for a query that has neither a name nor a template'
    ),
    response: explained,
    handle: request => explainQuery(request, request.param('id'), runner)
  }),
  route({
    ...facts,
    path: '/v1/query/*name',
    aliases: ['/v1/query/execute', '/v1/query/explain'],
    isVariant: true,
    operationId: 'runQueryWithSlashes',
    summary: 'Execute or explain a prepared query whose name holds slashes',
    access: anyToken('as for other names'),
    caching: 'simple',
    handle: request => {
      const { pathname } = new URL(request.url, 'http://server')
      if (pathname === '/v1/query/execute') return executeQuery(request, 'execute', runner, cache)
      if (pathname === '/v1/query/explain') return explainQuery(request, 'explain', runner)
      const name = request.param('name')
      if (name.endsWith(EXECUTE)) return executeQuery(request, name.slice(0, -EXECUTE.length), runner, cache)
      if (name.endsWith(EXPLAIN)) return explainQuery(request, name.slice(0, -EXPLAIN.length), runner)
      throw queryNotFound()
    }
  })
]
