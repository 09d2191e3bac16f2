// From a name or ID to the query it stands for, rendered for that name (spec: queries.md §5).
import type { QueryService } from '../../events/prepared-query.js'
import type { Queries, QueryRow } from './queries.js'
import { TemplateError } from './template.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A query, and the service that it asks for under the name it was found by. */
export interface Found {
  readonly row: QueryRow
  readonly service: QueryService
}

/**
 * The query of this ID; else of this name; else the template with the longest prefix. Undefined when there is none.
 * @throws TemplateError when a template is named by its ID, or has no value for the name
 */
export const findQuery = (queries: Queries, name: string): Found | undefined => {
  if (name === '') return undefined
  const byId = UUID.test(name) ? queries.get(name) : undefined
  if (byId?.isTemplate)
    throw new TemplateError('prepared query templates can only be resolved up by name, not by ID')
  const row = byId ?? queries.named(name) ?? queries.templateFor(name)
  return row && { row, service: row.serviceFor(name) }
}
