// Compares the decisions of two authorizers. Each question that their rules can tell apart is decided once by both.
import type { Tenancy } from '../../../events/envelope.js'
import { ANY_NAMESPACE, decideReadJob, type Access, type Authorizer } from '../authorizer.js'
import {
  LABELLED,
  SCOPES,
  UNLABELLED,
  type Resource,
  type RuleResource,
  type ScopeName
} from '../rules/model.js'
import { ComparedRules, matches } from './compared-rules.js'
import { namePoints, treePoints, type NamePoint } from './name-points.js'
import { RightsDifferences, type ComparedAccess, type RightsDifference } from './rights-differences.js'

interface Question {
  readonly resource: Resource
  readonly segment: ScopeName | null
  readonly access: ComparedAccess
  readonly isLabel?: boolean
  readonly allows: (authorizer: Authorizer) => boolean
}

const DEFAULT: ScopeName = { match: 'exact', label: 'default' }
const OTHERS: ScopeName = { match: 'prefix', label: '' }
const HOME: Tenancy = { partition: DEFAULT.label, namespace: DEFAULT.label }
const ANY: NamePoint = { scope: { match: 'exact', label: ANY_NAMESPACE }, name: ANY_NAMESPACE }
const EVERY_INTENTION: NamePoint = { scope: { match: 'exact', label: '*' }, name: '*' }

const rulesFor = (resource: Resource): RuleResource => (resource === 'intention' ? 'service' : resource)

/** Pairs of labels above which no names are left out, since the search for them would take too long. */
const MOST_PAIRS = 10_000

const NAMED: readonly Resource[] = [...LABELLED, 'intention']
const COMPARED: readonly Resource[] = [...UNLABELLED, ...NAMED]

/** Rules for the cluster or a partition count in one place only. */
const isPlaceOf = (resource: Resource, partition: NamePoint, namespace: NamePoint): boolean => {
  const isDefault = ({ scope: { match, label } }: NamePoint) => match === 'exact' && label === DEFAULT.label
  const scope = SCOPES[resource]
  return scope === 'namespace' || (isDefault(namespace) && (scope === 'partition' || isDefault(partition)))
}

/** @param changed labels of changed rules, which alone can change a decision on the names that they match */
function* questionsOn(
  resource: Resource,
  tenancy: Tenancy,
  labels: readonly ScopeName[],
  changed: readonly ScopeName[]
): Iterable<Question> {
  const on = (segment: ScopeName | null, name: string, access: Access, isLabel = true): Question => ({
    resource,
    segment,
    access,
    isLabel,
    allows: authorizer => authorizer.may(resource, access, name, tenancy)
  })
  if (!NAMED.includes(resource)) {
    yield on(null, '', 'read')
    yield on(null, '', 'write')
    return
  }
  const isFew = changed.length * labels.length < MOST_PAIRS
  const isTouched = (name: string): boolean => !isFew || changed.some(one => matches(one, name))
  const names = namePoints(labels.filter(({ label }) => isTouched(label)))
  for (const { scope, name } of resource === 'intention' ? [...names, EVERY_INTENTION] : names) {
    yield on(scope, name, 'read')
    if (resource === 'key') yield on(scope, name, 'list')
    yield on(scope, name, 'write')
    if (scope.match === 'prefix') yield on(scope, name, 'write-prefix')
  }
  const known = new Set(labels.map(({ label }) => label))
  for (const { scope, name } of treePoints(labels))
    if (isTouched(name) || changed.some(one => one.label.startsWith(name)))
      yield on(scope, name, 'write-prefix', known.has(name))
  if (tenancy.namespace !== ANY_NAMESPACE)
    yield {
      resource,
      segment: null,
      access: 'read-all',
      allows: authorizer => authorizer.mayAll(resource, 'read', tenancy)
    }
}

function* questionsOnNamespace(tenancy: Tenancy): Iterable<Question> {
  const facts = { resource: 'namespace', segment: null } as const
  yield { ...facts, access: 'read', allows: authorizer => authorizer.mayNamespace('read', tenancy) }
  yield { ...facts, access: 'write', allows: authorizer => authorizer.mayNamespace('write', tenancy) }
  yield { ...facts, access: 'read-job', allows: authorizer => decideReadJob(authorizer, tenancy).allowed }
}

class AuthorizerComparison {
  readonly #rules: ComparedRules

  constructor(
    private readonly before: Authorizer,
    private readonly after: Authorizer
  ) {
    this.#rules = new ComparedRules(before.rules, after.rules)
  }

  differences(): readonly RightsDifference[] {
    const found = new RightsDifferences()
    const { isSame, scopes } = this.#rules
    if (isSame) return []
    const partitions = namePoints([DEFAULT, OTHERS, ...scopes.map(({ partition }) => partition)])
    const namespaces = [...namePoints([DEFAULT, OTHERS, ...scopes.map(({ namespace }) => namespace)]), ANY]
    for (const partition of partitions)
      for (const namespace of namespaces)
        for (const question of this.#questions(partition, namespace)) {
          const isAllowed = question.allows(this.after)
          if (question.allows(this.before) === isAllowed) continue
          found.add({ ...question, partition: partition.scope, namespace: namespace.scope }, isAllowed)
        }
    return found.values()
  }

  *#questions(partition: NamePoint, namespace: NamePoint): Iterable<Question> {
    const tenancy = { partition: partition.name, namespace: namespace.name }
    const rules = this.#rules.within(tenancy)
    for (const resource of COMPARED) {
      const changed = rules.changed(rulesFor(resource))
      if (changed.length > 0 && isPlaceOf(resource, partition, namespace))
        yield* questionsOn(resource, tenancy, rules.all(rulesFor(resource)), changed)
    }
    // Rights on the cluster include all namespaces.
    const concernsNamespace = rules.isChanged || this.#rules.within(HOME).changed('operator').length > 0
    if (namespace !== ANY && concernsNamespace) yield* questionsOnNamespace(tenancy)
  }
}

/**
 * Returns every difference between the decisions of two authorizers with the same default policy. Exact: of the names and tenancies that no
 * rule tells apart, one is decided. Costs decisions in the number of labels that changed rules match, in their tenancies.
 */
export const compareAuthorizers = (before: Authorizer, after: Authorizer): readonly RightsDifference[] =>
  new AuthorizerComparison(before, after).differences()
