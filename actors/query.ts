// Prepared queries (spec: queries.md §3).
import { invalidDuration, parseDuration } from '../events/duration.js'
import { CLUSTER_TENANCY, DEFAULT_TENANCY } from '../events/envelope.js'
import { rethrowAs } from '../events/errors.js'
import {
  isTemplate,
  NAME_PREFIX_MATCH,
  type PreparedQuery,
  type QueryEvent,
  queryEvents,
  type QueryInput,
  queryDefinition
} from '../events/prepared-query.js'
import { HIDDEN } from '../events/values.js'
import type { QueryRow } from '../projections/queries/query-row.js'
import { compileTemplate, TemplateError } from '../projections/queries/template.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Command } from './aggregate.js'
import { contentsOf } from './content.js'
import { twoStateLifecycle } from './lifecycle.js'
import { invalid, Refusal } from './refusal.js'
import { isTenancyName, isWithinTenancy } from './tenancy.js'
import { isUuid } from './uuid.js'

/** The token is a secret of the event, not part of its payload. */
export const queryUpserted = (query: PreparedQuery): QueryEvent => {
  const { Token } = query
  if (Token === '') return queryEvents.create('PreparedQueryUpserted', CLUSTER_TENANCY, query)
  return queryEvents.create('PreparedQueryUpserted', CLUSTER_TENANCY, { ...query, Token: HIDDEN }, { Token })
}

type QueryContent = Omit<PreparedQuery, 'ID' | 'CreateIndex' | 'ModifyIndex'>

type CreateQuery = Command<'CreateQuery', { readonly query: QueryInput; readonly newId: string }>
type UpdateQuery = Command<'UpdateQuery', { readonly query: QueryInput; readonly id: string }>
type DeleteQuery = Command<'DeleteQuery', { readonly id: string }>
type QueryCommand = CreateQuery | UpdateQuery | DeleteQuery

// Decisions. The route checks permissions. Updates and deletions use the same text for a missing query.

/** @throws Refusal `missing` */
export const requireQuery = (views: Views, id: string): QueryRow => {
  const row = views.queries.get(id)
  if (row) return row
  const reason = isUuid(id) ? '' : ': UUID must be 36 characters'
  throw new Refusal('query.not-found', `Cannot modify non-existent prepared query: '${id}'${reason}`)
}

/** Rows 13 to 15 of the specification. `id` is that of the query itself, which may keep its name. */
const checkName = (views: Views, id: string, query: QueryContent): void => {
  const { queries } = views
  const { Name } = query
  const isOther = (row: QueryRow | undefined): boolean => row !== undefined && row.query.ID !== id
  if (Name === '') {
    if (isTemplate(query) && isOther(queries.catchAll))
      throw invalid('query.name-taken', 'a query template with an empty name already exists')
    return
  }
  if (isOther(queries.named(Name)))
    throw invalid('query.name-taken', `name '${Name}' aliases an existing query name`)
  if (isUuid(Name) && queries.get(Name))
    throw invalid('query.name-taken', `name '${Name}' aliases an existing query ID`)
}

/** The session must be in the default namespace, in any namespace of the caller (tenancy.md §6.1). */
const checkSession = (views: Views, session: string): void => {
  if (session === '') return
  if (!isUuid(session))
    throw invalid('query.invalid', `invalid session: "${session}" is no UUID: UUID must be 36 characters`)
  if (!isWithinTenancy(views.sessions.get(session), DEFAULT_TENANCY))
    throw invalid('query.invalid', `invalid session "${session}"`)
}

const contentOf = contentsOf(queryDefinition)

/** @throws Refusal `invalid` */
const checkedContent = (views: Views, id: string, input: QueryInput): QueryContent => {
  const query = contentOf(input)
  checkContent(query)
  checkName(views, id, query)
  checkSession(views, query.Session)
  checkTemplate(query)
  return query
}

/** @throws Refusal `invalid`, `missing` */
const decideQuery = (command: QueryCommand, views: Views, index: number): QueryEvent[] => {
  switch (command.name) {
    case 'CreateQuery': {
      const { query, newId } = command.data
      const content = checkedContent(views, newId, query)
      return [queryUpserted({ ID: newId, ...content, CreateIndex: index, ModifyIndex: index })]
    }
    case 'UpdateQuery': {
      const { query, id } = command.data
      const { ID, CreateIndex } = requireQuery(views, id).query
      const content = checkedContent(views, ID, query)
      return [queryUpserted({ ID, ...content, CreateIndex, ModifyIndex: index })]
    }
    case 'DeleteQuery':
      return [
        queryEvents.create(
          'PreparedQueryDeleted',
          CLUSTER_TENANCY,
          requireQuery(views, command.data.id).query
        )
      ]
  }
}

// Rules for the content that do not depend on other resources (spec: queries.md §3, rows 7 to 12, 17, 18).

const MOST_PAIRS = 64
const LONGEST_KEY = 128
const LONGEST_VALUE = 512
const META_KEY = /^[A-Za-z0-9_-]+$/

const wrong = (rule: string): Error => invalid('query.invalid', `Invalid prepared query: ${rule}`)

const checkNodeMeta = (meta: Readonly<Record<string, string>>): void => {
  const pairs = Object.entries(meta)
  if (pairs.length > MOST_PAIRS)
    throw wrong(`Node metadata cannot contain more than ${MOST_PAIRS} key/value pairs`)
  for (const [key, value] of pairs) {
    const fault = pairFault(key, value)
    if (fault !== undefined) throw wrong(`Couldn't load metadata pair ('${key}', '${value}'): ${fault}`)
  }
}

const pairFault = (key: string, value: string): string | undefined => {
  if (key === '') return 'Key cannot be blank'
  if (!META_KEY.test(key)) return 'Key contains invalid characters'
  if (key.length > LONGEST_KEY) return `Key is too long (limit: ${LONGEST_KEY} characters)`
  if (value.length > LONGEST_VALUE) return `Value is too long (limit: ${LONGEST_VALUE} characters)`
  return undefined
}

const checkTtl = (ttl: string): void => {
  if (ttl === '') return
  const duration = parseDuration(ttl)
  if (duration === undefined) throw wrong(`Bad DNS TTL '${ttl}': ${invalidDuration(ttl)}`)
  if (duration < 0) throw wrong(`DNS TTL '${ttl}', must be >=0`)
}

/** @throws Refusal `invalid` */
const checkContent = ({ Name, Session, Token, Template, Service, DNS }: QueryContent): void => {
  if (Name === '' && Template.Type === '' && Session === '') throw wrong('Must be bound to a session')
  if (Token === HIDDEN)
    throw wrong(`Bad Token '${HIDDEN}', it looks like a query definition with a redacted token was submitted`)
  if (Service.Service === '') throw wrong('Must provide a Service name to query')
  const { Namespace = '' } = Service
  const isRendered = Template.Type !== '' && Namespace.includes('$')
  if (Namespace !== '' && !isRendered && !isTenancyName(Namespace.toLowerCase()))
    throw wrong(
      `Bad Namespace '${Namespace}' in Service: it must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
  const { NearestN } = Service.Failover
  if (NearestN < 0) throw wrong(`Bad NearestN '${NearestN}', must be >= 0`)
  checkNodeMeta(Service.NodeMeta ?? {})
  checkTtl(DNS.TTL)
}

/** A template must compile and render for its own name. @throws Refusal `invalid` */
const checkTemplate = (query: QueryContent): void => {
  const { Type } = query.Template
  if (Type === '') return
  if (Type !== NAME_PREFIX_MATCH)
    throw invalid('query.invalid', `Bad Template.Type '${Type}': the only type is ${NAME_PREFIX_MATCH}`)
  const fault = (message: string) => invalid('query.invalid', `failed compiling template: ${message}`)
  rethrowAs(() => compileTemplate(query)(query.Name), TemplateError, fault)
}

export const queryAggregate: Aggregate<QueryCommand> = {
  lifecycle: twoStateLifecycle(queryEvents, ({ queries }, { key }) => queries.get(key)),
  removals: ['DeleteQuery'],
  decide: decideQuery
}
