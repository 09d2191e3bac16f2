// The evaluation of rules as the specification words it (acl.md §9, tenancy.md §9.2): slow, and without any index.
import type { Tenancy } from '../../../events/envelope.js'
import type { Access, DefaultPolicy, Resource, ScopedRules } from '../../../projections/acl/authorizer.js'
import type { Level, Rule, ScopeName } from '../../../projections/acl/rules/model.js'

type Answer = 'allow' | 'deny' | undefined

interface Merged {
  readonly match: 'exact' | 'prefix'
  readonly label: string
  readonly level: Level
}

/** 9.3: the table of levels. */
function granted(level: Level, access: Access): boolean {
  if (level === 'write') return true
  if (access === 'read') return level === 'read' || level === 'list'
  return access === 'list' && level === 'list'
}

const answerOf = (rule: Merged | undefined, access: Access): Answer =>
  rule === undefined ? undefined : granted(rule.level, access) ? 'allow' : 'deny'

/** 9.2: deny over write over list over read. */
const strongest = (levels: readonly Level[]): Level =>
  (['deny', 'write', 'list', 'read'] as const).find(level => levels.includes(level)) ?? 'read'

/** 9.2 and the first line of 9.4. */
function merged(rules: readonly Rule[], resource: Resource): Merged[] {
  const kind = resource === 'intention' ? 'service' : resource
  const own = rules.filter(rule => rule.resource === kind)
  const places = own.filter(
    (rule, at) => own.findIndex(other => other.match === rule.match && other.label === rule.label) === at
  )
  return places.map(({ match, label }) => {
    const same = own.filter(rule => rule.match === match && rule.label === label)
    const level = strongest(same.map(rule => rule.level))
    if (resource !== 'intention') return { match, label, level }
    const given = same.flatMap(rule => (rule.intentions === null ? [] : [rule.intentions]))
    if (given.length > 0) return { match, label, level: strongest(given) }
    return { match, label, level: level === 'deny' ? 'deny' : 'read' }
  })
}

const longest = (rules: readonly Merged[], name: string): Merged | undefined =>
  rules
    .filter(({ match, label }) => match === 'prefix' && name.startsWith(label))
    .toSorted((a, b) => b.label.length - a.label.length)[0]

/** 9.3 to 9.6, for the rules of one scope. */
function answer(all: readonly Rule[], resource: Resource, access: Access, segment: string): Answer {
  const rules = merged(all, resource)
  const named = ['acl', 'keyring', 'operator', 'namespace'].includes(resource) ? '' : segment
  if (access === 'write-prefix') {
    const above = longest(rules, segment)
    if (above !== undefined && above.level !== 'write') return 'deny'
    if (rules.some(({ label, level }) => label.startsWith(segment) && level !== 'write')) return 'deny'
    return above === undefined ? undefined : 'allow'
  }
  if (resource === 'intention' && segment === '*') {
    const everything = rules.some(({ match, label }) => match === 'prefix' && label === '')
    if (access === 'read') {
      if (rules.some(({ level }) => granted(level, 'read'))) return 'allow'
      return everything ? 'deny' : undefined
    }
    if (rules.some(({ level }) => level !== 'write')) return 'deny'
    return everything ? 'allow' : undefined
  }
  const exact = rules.find(({ match, label }) => match === 'exact' && label === named)
  return answerOf(exact ?? longest(rules, named), access)
}

/** 9.7, for the rules of one scope. */
function answerForAll(all: readonly Rule[], resource: Resource): Answer {
  const rules = merged(all, resource)
  if (rules.some(({ level }) => !granted(level, 'read'))) return 'deny'
  return answerOf(longest(rules, ''), 'read')
}

interface Scope {
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

const matches = ({ match, label }: ScopeName, name: string): boolean =>
  match === 'exact' ? label === name : name.startsWith(label)

const rank = ({ match, label }: ScopeName): number => (match === 'exact' ? 1000 : label.length)

const isSame = (a: Scope, b: Scope): boolean => JSON.stringify(a) === JSON.stringify(b)

const only = (label: string): ScopeName => ({ match: 'exact', label })

/** Tenancy 9.2, steps 1 and 2: the rules of each scope that matches, the most specific scope first. */
function candidates(
  sets: readonly ScopedRules[],
  { partition, namespace }: Tenancy
): readonly (readonly Rule[])[] {
  const all = sets.flatMap(({ rules: { rules, blocks }, tenancy }) => [
    { scope: { partition: only(tenancy.partition), namespace: only(tenancy.namespace) }, rules },
    ...blocks.map(block => ({
      scope: { partition: block.partition ?? only(tenancy.partition), namespace: block.namespace },
      rules: block.rules
    }))
  ])
  const scopes = all
    .map(({ scope: { partition: outer, namespace: inner } }) => ({
      partition: { match: outer.match, label: outer.label },
      namespace: { match: inner.match, label: inner.label }
    }))
    .filter((scope, at, every) => every.findIndex(other => isSame(other, scope)) === at)
    .filter(scope => matches(scope.partition, partition) && matches(scope.namespace, namespace))
    .toSorted((a, b) => rank(b.partition) - rank(a.partition) || rank(b.namespace) - rank(a.namespace))
  return scopes.map(scope =>
    all
      .filter(
        part =>
          part.scope.partition.match === scope.partition.match &&
          part.scope.partition.label === scope.partition.label &&
          part.scope.namespace.match === scope.namespace.match &&
          part.scope.namespace.label === scope.namespace.label
      )
      .flatMap(({ rules }) => rules)
  )
}

const tenancyOf = (resource: Resource, { partition, namespace }: Tenancy): Tenancy => {
  if (['operator', 'keyring', 'event', 'query'].includes(resource))
    return { partition: 'default', namespace: 'default' }
  return { partition, namespace: resource === 'agent' ? 'default' : namespace }
}

const firstAnswer = (
  layers: readonly (readonly ScopedRules[])[],
  tenancy: Tenancy,
  ask: (rules: readonly Rule[]) => Answer
): Answer =>
  layers
    .flatMap(sets => candidates(sets, tenancy))
    .map(ask)
    .find(given => given !== undefined)

/** What `Authorizer.may` should answer. */
export function referenceAllows(
  layers: readonly (readonly ScopedRules[])[],
  defaultPolicy: DefaultPolicy,
  [resource, access, segment, tenancy]: readonly [Resource, Access, string, Tenancy]
): boolean {
  const given = firstAnswer(layers, tenancyOf(resource, tenancy), rules =>
    answer(rules, resource, access, segment)
  )
  return given === undefined ? defaultPolicy === 'allow' && resource !== 'acl' : given === 'allow'
}

/** What `Authorizer.mayAll` should answer. */
export function referenceAllowsAll(
  layers: readonly (readonly ScopedRules[])[],
  defaultPolicy: DefaultPolicy,
  [resource, tenancy]: readonly [Resource, Tenancy]
): boolean {
  const given = firstAnswer(layers, tenancyOf(resource, tenancy), rules => answerForAll(rules, resource))
  return given === undefined ? defaultPolicy === 'allow' && resource !== 'acl' : given === 'allow'
}
