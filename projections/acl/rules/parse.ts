// From rule text to rules (spec: acl.md §8, tenancy.md §9.1).
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { labelledBodies } from './labelled.js'
import { invalid, levelNamed, levelNames, levelText } from './levels.js'
import {
  LABELLED,
  UNLABELLED,
  type LabelledResource,
  type Match,
  type Rule,
  type RuleSet,
  type RuleWarning,
  type ScopeBlock,
  type UnlabelledResource
} from './model.js'
import { placeOfBlock, placeOfText, whyNoBlock, whyNoRule, type Place } from './place.js'
import { parseDocument } from './syntax.js'
import type { Document, Item, Key } from './tree.js'

/**
 * Parses and validates a rule text in either notation, in time proportional to its length.
 * @param home the tenancy that the policy lives in, which limits what its text may contain
 * @throws {RuleError} when the text cannot be read or a rule in it is refused
 */
export function parseRules(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  const document = parseDocument(text)
  const blocks: ScopeBlock[] = []
  const warnings: RuleWarning[] = []
  const rules = readRules({ document, blocks, warnings }, document.items, placeOfText(home))
  return { rules, blocks, warnings }
}

interface Reading {
  readonly document: Document
  readonly blocks: ScopeBlock[]
  readonly warnings: RuleWarning[]
}

const isUnlabelled = (name: string): name is UnlabelledResource => UNLABELLED.some(known => known === name)
const isLabelled = (name: string): name is LabelledResource => LABELLED.some(known => known === name)

/** The rules among the items at one place; blocks found there are added to the reading. */
function readRules(reading: Reading, items: readonly Item[], place: Place): Rule[] {
  const rules: Rule[] = []
  const unlabelled = new Map<UnlabelledResource | 'namespace', Item>()
  for (const item of items) {
    const name = item.keys[0].name.toLowerCase()
    const match: Match = name.endsWith('_prefix') ? 'prefix' : 'exact'
    const resource = match === 'prefix' ? name.slice(0, -'_prefix'.length) : name
    if (isUnlabelled(name)) unlabelled.set(name, checkedUnlabelled(reading.document, name, item))
    else if (isLabelled(resource))
      for (const { label, items: settings } of labelledBodies(reading.document, name, item))
        rules.push(
          placed(reading.document, place, labelledRule(reading, resource, match, label, settings), label)
        )
    else if (resource === 'namespace' || resource === 'partition')
      readBlock(reading, item, place, resource, match)
    else if (name === 'policy' && place.inside !== 'text') unlabelled.set('namespace', item)
    else warn(reading, item.keys[0], `unknown rule ${item.keys[0].text} has no effect`)
  }
  for (const [resource, item] of unlabelled) {
    const rule = unlabelledRule(reading.document, resource, item, place)
    if (rule !== undefined) rules.push(placed(reading.document, place, rule, item.keys[0]))
  }
  return rules
}

/** Only the last of several stands, but each must have the right form. */
function checkedUnlabelled(document: Document, name: string, item: Item): Item {
  if (!(document.notation === 'json' && item.value.type === 'null')) levelText(document, name, item)
  return item
}

function unlabelledRule(
  document: Document,
  resource: UnlabelledResource | 'namespace',
  item: Item,
  place: Place
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

function labelledRule(
  reading: Reading,
  resource: LabelledResource,
  match: Match,
  label: Key,
  settings: readonly Item[]
): Rule {
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
  if (policy === undefined)
    throw invalid(
      document,
      name,
      `${name} ${label.text} has no policy (${levelNames(resource)})`,
      label.start
    )
  const level = levelIn(policy, name, levelText(document, name, policy))
  const given = intentions === undefined ? '' : levelText(document, `${name} intentions`, intentions)
  return {
    resource,
    match,
    label: label.name,
    level,
    intentions:
      intentions === undefined || given === '' ? null : levelIn(intentions, `${name} intentions`, given),
    ...document.positionOf(label.start)
  }
}

function readBlock(
  reading: Reading,
  item: Item,
  place: Place,
  kind: 'namespace' | 'partition',
  match: Match
): void {
  const { document, blocks } = reading
  const rule = match === 'prefix' ? `${kind}_prefix` : kind
  const why = whyNoBlock(place, kind)
  if (why !== undefined) throw invalid(document, rule, why, item.start)
  for (const { label, items, selfNamed } of labelledBodies(document, rule, item)) {
    if (selfNamed) throw invalid(document, rule, `${label.text} must be a block`, label.start)
    const name = { match, label: label.name.toLowerCase() }
    const inner = placeOfBlock(place, kind, name)
    const { partition, namespace } = inner
    const ofHome = kind === 'namespace' && place.inside === 'text'
    blocks.push({ partition: ofHome ? null : partition, namespace, rules: readRules(reading, items, inner) })
  }
}

function placed(document: Document, place: Place, rule: Rule, key: Key): Rule {
  const why = whyNoRule(place, rule)
  if (why !== undefined) throw invalid(document, rule.resource, `${rule.resource} rules: ${why}`, key.start)
  return rule
}

function warn(reading: Reading, key: Key, message: string): void {
  reading.warnings.push({ message, ...reading.document.positionOf(key.start) })
}
