import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { runAtOnce, StepPace, type Steps } from '../../steps.js'
import {
  labelledBodies,
  invalid,
  levelNamed,
  levelNames,
  levelText,
  type Attempt,
  type LabelledBody,
  type Source
} from './labelled.js'
import {
  exactly,
  LABELLED,
  SCOPES,
  UNLABELLED,
  type LabelledResource,
  type Level,
  type Match,
  type Rule,
  type RuleSet,
  type RuleWarning,
  type ScopeBlock,
  type ScopeName,
  type UnlabelledResource
} from './model.js'
import { documentInSteps } from './syntax.js'
import type { Document, Item, Key } from './tree.js'

/** The partitions and namespaces of the rules at one position of a text. */
interface RulePosition {
  /** The enclosing block, which may itself be inside a partition block. */
  readonly inside: 'text' | 'partition' | 'namespace'
  readonly home: Tenancy
  readonly partition: ScopeName
  readonly namespace: ScopeName
}

const isDefault = ({ match, label }: ScopeName): boolean => match === 'exact' && label === 'default'

const positionOfText = (home: Tenancy): RulePosition => ({
  inside: 'text',
  home,
  partition: exactly(home.partition),
  namespace: exactly(home.namespace)
})

const positionOfBlock = (
  place: RulePosition,
  kind: 'namespace' | 'partition',
  name: ScopeName
): RulePosition =>
  kind === 'namespace'
    ? { ...place, inside: 'namespace', namespace: name }
    : { ...place, inside: 'partition', partition: name, namespace: exactly('default') }

/** The reason why a block is not allowed at `place`; undefined if it is. */
function explainInvalidBlock(place: RulePosition, kind: 'namespace' | 'partition'): string | undefined {
  const { inside, home } = place
  if (inside === 'namespace') return `a ${kind} block may not stand inside a namespace block`
  if (home.namespace !== 'default')
    return `a policy of namespace ${JSON.stringify(home.namespace)} reaches no other`
  if (kind === 'namespace') return undefined
  if (inside === 'partition') return 'a partition block may not stand inside another'
  return home.partition === 'default'
    ? undefined
    : `a policy of partition ${JSON.stringify(home.partition)} reaches no other`
}

/** Rules of newer servers on a partition, which have no effect here. */
const OF_PARTITION: readonly string[] = ['mesh', 'peering']

/** The reason why an unknown rule is not allowed at `place`; undefined if it is. */
function explainUnknownKey({ inside, home }: RulePosition, name: string): string | undefined {
  const isInNamespace = inside === 'namespace' || home.namespace !== 'default'
  return isInNamespace && OF_PARTITION.includes(name) ? 'not allowed for a namespace' : undefined
}

/** The reason why a rule is not allowed at `place`; undefined if it is. */
function explainInvalidRule(
  { partition, namespace }: RulePosition,
  { resource, level }: Rule
): string | undefined {
  if (SCOPES[resource] === 'cluster' && !(isDefault(partition) && isDefault(namespace)))
    return 'allowed only for namespace "default" of partition "default"'
  if (SCOPES[resource] === 'partition' && !isDefault(namespace)) return 'allowed only for namespace "default"'
  if (resource === 'node' && level === 'write' && !isDefault(namespace))
    return 'write is allowed only for namespace "default"'
  return undefined
}

/**
 * Parses and validates a rule text in either notation (spec: acl.md §8, tenancy.md §9.1), in time proportional to its length.
 * @param home the tenancy of the policy, which limits the rules that its text may contain
 * @throws {RuleError} for an invalid text or a refused rule
 */
export function parseRules(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  return runAtOnce(rulesInSteps(text, home))
}

/** As `parseRules`, in steps. @throws {RuleError} as `parseRules` */
export function* rulesInSteps(text: string, home: Tenancy): Steps<RuleSet> {
  return yield* readDocument(yield* documentInSteps(text), home, step => step())
}

/** Reads the rules of a document in steps. */
export function* readDocument(document: Document, home: Tenancy, attempt: Attempt): Steps<RuleSet> {
  const blocks: ScopeBlock[] = []
  const warnings: RuleWarning[] = []
  const reader = new RuleReader({ document, blocks, warnings, attempt }, positionOfText(home))
  const pace = new StepPace()
  for (const item of document.items) {
    reader.read(item)
    if (pace.isOver()) yield
  }
  return { rules: reader.end(), blocks, warnings }
}

interface Reading extends Source {
  readonly blocks: ScopeBlock[]
  readonly warnings: RuleWarning[]
}

const isUnlabelled = (name: string): name is UnlabelledResource => UNLABELLED.some(known => known === name)
const isLabelled = (name: string): name is LabelledResource => LABELLED.some(known => known === name)

/** Reads the items at one place in their order. Blocks found there are added to the reading. */
class RuleReader {
  readonly #rules: Rule[] = []
  readonly #unlabelled = new Map<UnlabelledResource | 'namespace', Item>()

  constructor(
    private readonly reading: Reading,
    private readonly place: RulePosition
  ) {}

  read(item: Item): void {
    this.reading.attempt(() => this.#read(item))
  }

  /** Returns the rules of all items. */
  end(): Rule[] {
    const { reading, place } = this
    for (const [resource, item] of this.#unlabelled)
      reading.attempt(() => this.#keep(unlabelledRule(reading.document, resource, item, place), item.keys[0]))
    return this.#rules
  }

  #read(item: Item): void {
    const { reading, place } = this
    const name = item.keys[0].name.toLowerCase()
    const match: Match = name.endsWith('_prefix') ? 'prefix' : 'exact'
    const resource = match === 'prefix' ? name.slice(0, -'_prefix'.length) : name
    if (isUnlabelled(name)) this.#unlabelled.set(name, checkedUnlabelled(reading.document, name, item))
    else if (isLabelled(resource))
      for (const { label, items: settings } of labelledBodies(reading, name, item))
        reading.attempt(() => this.#keep(labelledRule(reading, resource, match, label, settings), label))
    else if (resource === 'namespace' || resource === 'partition')
      readBlock(reading, item, place, resource, match)
    else if (name === 'policy' && place.inside !== 'text') this.#unlabelled.set('namespace', item)
    else readUnknown(reading, item, place, name)
  }

  #keep(rule: Rule | undefined, key: Key): void {
    if (rule !== undefined) this.#rules.push(placed(this.reading.document, this.place, rule, key))
  }
}

function readUnknown(reading: Reading, item: Item, place: RulePosition, name: string): void {
  const [key] = item.keys
  const why = explainUnknownKey(place, name)
  if (why !== undefined) throw invalid(reading.document, name, `${name} rules: ${why}`, key.start)
  warn(reading, key, `unknown rule ${key.text} has no effect`)
}

/** Only the last of several applies, but each must have the right form. */
function checkedUnlabelled(document: Document, name: string, item: Item): Item {
  if (!(document.notation === 'json' && item.value.type === 'null')) levelText(document, name, item)
  return item
}

function unlabelledRule(
  document: Document,
  resource: UnlabelledResource | 'namespace',
  item: Item,
  place: RulePosition
): Rule | undefined {
  const [key] = item.keys
  if (resource === 'namespace' && place.inside === 'partition')
    throw invalid(document, 'partition', 'policy is allowed only in a namespace block', key.start)
  if (document.notation === 'json' && item.value.type === 'null') return undefined
  const text = levelText(document, resource, item)
  if (text === '') return undefined
  const level = levelNamed(text, resource)
  if (level === undefined) throw invalid(document, resource, JSON.stringify(text), item.value.start)
  return { resource, match: 'exact', label: '', level, intentions: null, ...document.positionOf(key.start) }
}

/** Undefined if it has no level and `attempt` has recorded the error. */
function labelledRule(
  reading: Reading,
  resource: LabelledResource,
  match: Match,
  label: Key,
  settings: readonly Item[]
): Rule | undefined {
  const { document } = reading
  const name = match === 'prefix' ? `${resource}_prefix` : resource
  let policy: Item | undefined
  let intentions: Item | undefined
  for (const item of settings) {
    const setting = item.keys[0].name.toLowerCase()
    if (setting === 'policy') policy = item
    else if (setting === 'intentions' && resource === 'service') intentions = item
    else
      warn(
        reading,
        item.keys[0],
        `unknown setting ${item.keys[0].text} of ${name} ${label.text} has no effect`
      )
  }
  const levelIn = (item: Item, rule: string, text: string) => {
    const level = levelNamed(text, resource)
    if (level !== undefined) return level
    const why = `${JSON.stringify(text)} of ${name} ${label.text} is not one of ${levelNames(resource)}`
    throw invalid(document, rule, why, item.value.start)
  }
  const policyLevel = (): Level => {
    if (policy !== undefined) return levelIn(policy, name, levelText(document, name, policy))
    const why = `${name} ${label.text} has no policy (${levelNames(resource)})`
    throw invalid(document, name, why, label.start)
  }
  const intentionsLevel = (): Level | null => {
    const rule = `${name} intentions`
    const text = intentions === undefined ? '' : levelText(document, rule, intentions)
    return intentions === undefined || text === '' ? null : levelIn(intentions, rule, text)
  }
  const found: { level?: Level; intentions: Level | null } = { intentions: null }
  reading.attempt(() => {
    found.level = policyLevel()
  })
  reading.attempt(() => {
    found.intentions = intentionsLevel()
  })
  const { level } = found
  return level === undefined
    ? undefined
    : {
        resource,
        match,
        label: label.name,
        level,
        intentions: found.intentions,
        ...document.positionOf(label.start)
      }
}

function readBlock(
  reading: Reading,
  item: Item,
  place: RulePosition,
  kind: 'namespace' | 'partition',
  match: Match
): void {
  const { document, blocks } = reading
  const rule = match === 'prefix' ? `${kind}_prefix` : kind
  const why = explainInvalidBlock(place, kind)
  if (why !== undefined) throw invalid(document, rule, why, item.start)
  const readBody = ({ label, items, selfNamed }: LabelledBody): void => {
    if (selfNamed) throw invalid(document, rule, `${label.text} must be a block`, label.start)
    const name = { match, label: label.name.toLowerCase() }
    const inner = positionOfBlock(place, kind, name)
    const { partition, namespace } = inner
    const ofHome = kind === 'namespace' && place.inside === 'text'
    const reader = new RuleReader(reading, inner)
    for (const one of items) reader.read(one)
    blocks.push({ partition: ofHome ? null : partition, namespace, rules: reader.end() })
  }
  for (const body of labelledBodies(reading, rule, item)) reading.attempt(() => readBody(body))
}

function placed(document: Document, place: RulePosition, rule: Rule, key: Key): Rule {
  const why = explainInvalidRule(place, rule)
  if (why !== undefined) throw invalid(document, rule.resource, `${rule.resource} rules: ${why}`, key.start)
  return rule
}

function warn(reading: Reading, key: Key, message: string): void {
  reading.warnings.push({ message, ...reading.document.positionOf(key.start) })
}
