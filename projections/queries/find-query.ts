// From a name or ID to the query it stands for, rendered for that name (spec: queries.md §5).
import type { FoundQuery } from './query-row.js'
import type { Queries } from './queries.js'
import { TemplateError } from './template.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The query of this ID; else of this name; else the template with the longest prefix. Undefined when there is
 * none.
 * @throws TemplateError when a template is named by its ID, or has no value for the name
 */
export const findQuery = (queries: Queries, name: string): FoundQuery | undefined => {
  if (name === '') return undefined
  const byId = UUID.test(name) ? queries.get(name) : undefined
  if (byId?.isTemplate)
    throw new TemplateError('prepared query templates can only be resolved up by name, not by ID')
  const row = byId ?? queries.named(name) ?? queries.templateFor(name)
  return row && queries.foundBy(row, name)
}
