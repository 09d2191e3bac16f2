// Decides the commands on prepared queries (spec: queries.md §3). Permissions are the route's; a text that names a
// query which does not exist is the same for updates and deletions.
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { isTemplate, type QueryEvent } from '../../events/prepared-query.js'
import type { QueryRow } from '../../projections/queries/queries.js'
import type { Views } from '../../projections/views.js'
import { invalid, Refusal } from '../refusal.js'
import { within } from '../same-tenancy.js'
import { isUuid } from '../uuid.js'
import { checkContent, checkTemplate } from './check.js'
import type { QueryCommand, QueryDraft } from './commands.js'
import { queryDeleted, queryUpserted } from './events.js'

/** The query to change. @throws Refusal `missing` */
export const existing = (views: Views, id: string): QueryRow => {
  const row = views.queries.get(id)
  if (row) return row
  const reason = isUuid(id) ? '' : ': UUID must be 36 characters'
  throw new Refusal('missing', `Cannot modify non-existent prepared query: '${id}'${reason}`)
}

/** Rows 13 to 15 of the specification. `id` is the query's own, which may keep its name. */
const checkName = (views: Views, id: string, query: QueryDraft): void => {
  const { queries } = views
  const { Name } = query
  const isOther = (row: QueryRow | undefined): boolean => row !== undefined && row.query.ID !== id
  if (Name === '') {
    if (isTemplate(query) && isOther(queries.catchAll))
      throw invalid('a query template with an empty name already exists')
    return
  }
  if (isOther(queries.named(Name))) throw invalid(`name '${Name}' aliases an existing query name`)
  if (isUuid(Name) && queries.get(Name)) throw invalid(`name '${Name}' aliases an existing query ID`)
}

/** The session must be in the default namespace, whatever that of the caller (tenancy.md §6.1). */
const checkSession = (views: Views, session: string): void => {
  if (session === '') return
  if (!isUuid(session)) throw invalid(`invalid session: "${session}" is no UUID: UUID must be 36 characters`)
  if (!within(views.sessions.get(session), DEFAULT_TENANCY)) throw invalid(`invalid session "${session}"`)
}

const check = (views: Views, id: string, query: QueryDraft): void => {
  checkContent(query)
  checkName(views, id, query)
  checkSession(views, query.Session)
  checkTemplate(query)
}

/** @throws Refusal `invalid`, `missing` */
export const decideQuery = (command: QueryCommand, views: Views, index: number): QueryEvent[] => {
  switch (command.name) {
    case 'CreateQuery': {
      const { query, newId } = command.data
      check(views, newId, query)
      return [queryUpserted({ ID: newId, ...query, CreateIndex: index, ModifyIndex: index })]
    }
    case 'UpdateQuery': {
      const { query, id } = command.data
      const { ID, CreateIndex } = existing(views, id).query
      check(views, ID, query)
      return [queryUpserted({ ID, ...query, CreateIndex, ModifyIndex: index })]
    }
    case 'DeleteQuery':
      return [queryDeleted(existing(views, command.data.id).query)]
  }
}
