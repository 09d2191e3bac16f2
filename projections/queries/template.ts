// Templates of prepared queries: compiled once, rendered for each name (spec: queries.md §5).
import { RE2JS, RE2JSException } from 're2js'
import type { PreparedQuery, QueryService } from '../../events/prepared-query.js'
import { parse, SyntaxError } from './expression-grammar.js'
import { EvaluationError, evaluateText, type Expression, type Scope } from './expression.js'

/** Deepest nesting of expressions in a text. */
const MAX_DEPTH = 64

/** A template that cannot be compiled, or that has no value for a name. The text says where and why. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** Makes a service of what a template is asked with. @throws TemplateError */
export type Render = (name: string) => QueryService

/** What one text of the template is for a scope. */
type Filled = (scope: Scope) => string

const compileText = (source: string, path: string): Filled => {
  if (!source.includes('$')) return () => source
  let expression: Expression
  try {
    expression = parse(source, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { line, column } = error.location.start
    throw new TemplateError(
      `Bad format '${source}' in Service${path}: parse error at ${line}:${column}: ${error.message}`
    )
  }
  return scope => {
    try {
      return evaluateText(expression, scope)
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      throw new TemplateError(`Bad evaluation for '${source}' in Service${path}: ${error.message}`)
    }
  }
}

const compileList = (list: readonly string[] | null, path: string) => {
  const texts = list?.map((text, i) => compileText(text, `${path}[${i}]`)) ?? null
  return (scope: Scope): string[] | null => texts?.map(text => text(scope)) ?? null
}

/** Values are filled in, keys are not. */
const compileMap = (map: Readonly<Record<string, string>> | null, path: string) => {
  if (map === null) return () => null
  const texts = Object.entries(map).map(([key, text]) => [key, compileText(text, `${path}[${key}]`)] as const)
  return (scope: Scope) => Object.fromEntries(texts.map(([key, text]) => [key, text(scope)]))
}

const compileService = (service: QueryService): ((scope: Scope) => QueryService) => {
  const name = compileText(service.Service, '.Service')
  const datacenters = compileList(service.Failover.Datacenters, '.Failover.Datacenters')
  const ignored = compileList(service.IgnoreCheckIDs, '.IgnoreCheckIDs')
  const near = compileText(service.Near, '.Near')
  const tags = compileList(service.Tags, '.Tags')
  const nodeMeta = compileMap(service.NodeMeta, '.NodeMeta')
  const serviceMeta = compileMap(service.ServiceMeta, '.ServiceMeta')
  return scope => ({
    ...service,
    Service: name(scope),
    Failover: { ...service.Failover, Datacenters: datacenters(scope) },
    IgnoreCheckIDs: ignored(scope),
    Near: near(scope),
    Tags: tags(scope),
    NodeMeta: nodeMeta(scope),
    ServiceMeta: serviceMeta(scope)
  })
}

/** RE2, which takes time proportional to the name. */
const compileRegexp = (pattern: string): RE2JS | undefined => {
  if (pattern === '') return undefined
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new TemplateError(`Bad Regexp: ${error.message}`)
  }
}

/** The groups of the leftmost match; empty when there is none. */
const groupsOf = (regexp: RE2JS | undefined, name: string): readonly (string | null)[] => {
  const matcher = regexp?.matcher(name)
  if (!matcher?.find()) return []
  return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group))
}

const scopeOf = (prefix: string, regexp: RE2JS | undefined, name: string): Scope => {
  let groups: readonly (string | null)[] | undefined
  return {
    variables: new Map([
      ['name.full', name],
      ['name.prefix', prefix],
      ['name.suffix', name.startsWith(prefix) ? name.slice(prefix.length) : name],
      ['agent.segment', '']
    ]),
    match: group => {
      groups ??= groupsOf(regexp, name)
      return groups[group] ?? ''
    }
  }
}

/**
 * Compiles a template. Texts and expression are read once; a rendering costs the lengths of texts and name.
 * @throws TemplateError
 */
export const compileTemplate = ({
  Name,
  Template,
  Service
}: Pick<PreparedQuery, 'Name' | 'Template' | 'Service'>): Render => {
  const regexp = compileRegexp(Template.Regexp)
  const service = compileService(Service)
  return name => {
    const rendered = service(scopeOf(Name, regexp, name))
    if (!Template.RemoveEmptyTags) return rendered
    return { ...rendered, Tags: (rendered.Tags ?? []).filter(tag => tag !== '') }
  }
}
