// The description of the API (OpenAPI), as pages: one for each tag.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../../dist/api/openapi.json')

const slugOf = tag => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const api = JSON.parse(readFileSync(file, 'utf8'))

/** What stands in the components, where it is only named. */
const resolved = ({ $ref, ...itself }) =>
  $ref
    ? $ref
        .split('/')
        .slice(1)
        .reduce((place, name) => place[name], api)
    : itself

const operations = () =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
  )

/** What a schema takes, in one line. */
const typeOf = (schema = {}) => {
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(', ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

const cell = text => (text ?? '').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
/** Outside code, pages are templates of Vue. */
const prose = text => cell(text).replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')

const parametersOf = ({ parameters = [] }) => {
  if (parameters.length === 0) return []
  const rows = parameters
    .map(resolved)
    .map(
      ({ name, in: place, required, schema, description }) =>
        `| \`${name}\` | ${place}${required ? ', required' : ''} | \`${cell(typeOf(schema))}\` | ${cell(description ?? schema?.description)} |`
    )
  return ['| Parameter | In | Type | Meaning |', '| --- | --- | --- | --- |', ...rows, '']
}

/** The fields of a JSON object, or of the elements of a list. */
const fieldsOf = (content = {}) => {
  const schema = resolved(content['application/json']?.schema ?? {})
  const fields = Object.entries(resolved(schema.items ?? schema).properties ?? {})
  if (fields.length === 0) return []
  const rows = fields.map(
    ([name, field]) => `| \`${name}\` | \`${cell(typeOf(field))}\` | ${prose(resolved(field).description)} |`
  )
  return ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows, '']
}

const exampleOf = (content = {}) => {
  const example = content['application/json']?.example
  return example === undefined ? [] : ['```json', JSON.stringify(example, null, 2), '```', '']
}

const bodyOf = ({ requestBody }) =>
  requestBody ? ['Body:', '', ...fieldsOf(requestBody.content), ...exampleOf(requestBody.content)] : []

const answersOf = ({ responses }) =>
  Object.entries(responses).flatMap(([status, response]) => {
    const { description: meaning, content } = resolved(response)
    const fields = status === '200' ? fieldsOf(content) : []
    return [`**${status}** ${meaning}`, '', ...fields, ...exampleOf(content)]
  })

const sectionOf = ({ path, method, operation }) => [
  `## ${method} \`${path}\``,
  '',
  `${operation.summary}.`,
  '',
  operation.description,
  '',
  ...parametersOf(operation),
  ...bodyOf(operation),
  ...answersOf(operation)
]

/** Each tag with its address and its page as Markdown. */
export const tagPages = () => {
  const byTag = Map.groupBy(operations(), ({ operation }) => operation.tags[0])
  return [...byTag].map(([tag, list]) => ({
    tag,
    slug: slugOf(tag),
    markdown: [`# ${tag}`, '', ...list.flatMap(sectionOf)].join('\n')
  }))
}
