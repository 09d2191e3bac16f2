import { recover } from '../../events/errors.js'
import type { PreparedQuery, QueryService } from '../../events/prepared-query.js'
import { parseText, TemplateError, type Functions, type Variables } from '../language/template.js'
import { PatternAllowance, PatternError, type Pattern } from '../language/pattern.js'
import { toInteger } from '../language/template-values.js'

export { TemplateError } from '../language/template.js'

const FUNCTIONS: ReadonlyMap<string, unknown> = new Map([['match', undefined]])

/** The requested name, and the match in it. */
interface Scope {
  readonly variables: Variables
  readonly functions: Functions
}

/** Renders a template for a name. @throws TemplateError */
export type Render = (name: string) => QueryService

type RenderText = (scope: Scope) => string

const compileText = (source: string, path: string): RenderText => {
  if (!source.includes('$')) return () => source
  const failure =
    (text: string) =>
    ({ message }: Error): never => {
      throw new TemplateError(`${text} '${source}' in Service${path}: ${message}`)
    }
  const template = recover(() => parseText(source, FUNCTIONS), TemplateError, failure('Bad format'))
  return ({ variables, functions }) =>
    recover(() => template.render(variables, functions), TemplateError, failure('Bad evaluation for'))
}

const compileList = (list: readonly string[] | null, path: string) => {
  const texts = list?.map((text, i) => compileText(text, `${path}[${i}]`)) ?? null
  return (scope: Scope): string[] | null => texts?.map(text => text(scope)) ?? null
}

/** Renders values, but not keys. */
const compileMap = (map: Readonly<Record<string, string>> | null, path: string) => {
  if (map === null) return () => null
  const texts = Object.entries(map).map(([key, text]) => [key, compileText(text, `${path}[${key}]`)] as const)
  return (scope: Scope) => Object.fromEntries(texts.map(([key, text]) => [key, text(scope)]))
}

const compileService = (service: QueryService): ((scope: Scope) => QueryService) => {
  const name = compileText(service.Service, '.Service')
  const namespace = service.Namespace === undefined ? undefined : compileText(service.Namespace, '.Namespace')
  const datacenters = compileList(service.Failover.Datacenters, '.Failover.Datacenters')
  const ignored = compileList(service.IgnoreCheckIDs, '.IgnoreCheckIDs')
  const near = compileText(service.Near, '.Near')
  const tags = compileList(service.Tags, '.Tags')
  const nodeMeta = compileMap(service.NodeMeta, '.NodeMeta')
  const serviceMeta = compileMap(service.ServiceMeta, '.ServiceMeta')
  return scope => ({
    ...service,
    Service: name(scope),
    ...(namespace ? { Namespace: namespace(scope) } : {}),
    Failover: { ...service.Failover, Datacenters: datacenters(scope) },
    IgnoreCheckIDs: ignored(scope),
    Near: near(scope),
    Tags: tags(scope),
    NodeMeta: nodeMeta(scope),
    ServiceMeta: serviceMeta(scope)
  })
}

const compileRegexp = (pattern: string, patterns: PatternAllowance): Pattern | undefined => {
  if (pattern === '') return undefined
  return recover(
    () => patterns.compile(pattern),
    PatternError,
    ({ message }) => {
      throw new TemplateError(`Bad Regexp: ${message}`)
    }
  )
}

/** The groups of the leftmost match; empty without one. @throws TemplateError if it is too costly */
const groupsOf = (regexp: Pattern | undefined, name: string): readonly (string | null)[] =>
  recover(
    () => regexp?.groupsIn(name) ?? [],
    PatternError,
    ({ message }) => {
      throw new TemplateError(`Bad Regexp for this name: ${message}`)
    }
  )

const scopeOf = (prefix: string, regexp: Pattern | undefined, name: string): Scope => {
  let groups: readonly (string | null)[] | undefined
  return {
    variables: new Map([
      ['name.full', name],
      ['name.prefix', prefix],
      ['name.suffix', name.startsWith(prefix) ? name.slice(prefix.length) : name],
      ['agent.segment', '']
    ]),
    functions: new Map([
      [
        'match',
        operands => {
          const [group] = operands
          if (operands.length !== 1 || group === undefined)
            throw new TemplateError(`match: expected 1 arguments, got ${operands.length}`)
          groups ??= groupsOf(regexp, name)
          return groups[Number(toInteger(group))] ?? ''
        }
      ]
    ])
  }
}

/** Compiles a template once (spec: queries.md §5); a rendering costs the lengths of texts and name. @throws TemplateError */
export const compileTemplate = ({
  Name,
  Template,
  Service
}: Pick<PreparedQuery, 'Name' | 'Template' | 'Service'>): Render => {
  const patterns = new PatternAllowance()
  const regexp = compileRegexp(Template.Regexp, patterns)
  const service = compileService(Service)
  return name => {
    patterns.begin()
    const rendered = service(scopeOf(Name, regexp, name))
    if (!Template.RemoveEmptyTags) return rendered
    return { ...rendered, Tags: (rendered.Tags ?? []).filter(tag => tag !== '') }
  }
}
