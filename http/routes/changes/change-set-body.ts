// Parses the body of a change set.
import type { Static } from 'typebox'
import { CHANGE_KINDS, changeKindOf } from '../../../actors/change-set/change-kinds.js'
import {
  CHANGE_KIND_NAMES,
  CHANGE_KIND_PLACES,
  isChangeKind
} from '../../../actors/change-set/change-kind-names.js'
import { describeTarget, type ChangeTarget } from '../../../actors/change-set/change-set-draft.js'
import { invalidWith, Refusal } from '../../../actors/refusal.js'
import { isTenancyName } from '../../../actors/tenancy.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { MOST_COMMITS } from '../../../projections/change-sets.js'
import { spaceOf } from '../../../projections/row-table.js'
import { sortedInSteps } from '../../../projections/sorted-steps.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { changeSetBody } from '../../schemas/changes.js'
import { checkName, idOf, requestOf, type DeclaredChange } from './change-requests.js'
import type { ChangeSet, PlannedChange } from './planned-change.js'

const invalidChanges = invalidWith('changes.invalid')

type Body = Static<typeof changeSetBody>
type Change = Body['Changes'][number]

const MOST_CHANGES = 10_000
const OWNER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Fields that name a resource, which a change names outside its body. */
const NAMING: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'name',
  'namespace',
  'partition',
  'accessorid',
  'specification'
])

const wrong = (at: number, rule: string): Refusal => invalidChanges(`Invalid Changes[${at}]: ${rule}`)

const nameIn = (what: string, name: string, at: number): string => {
  const lower = name.toLowerCase()
  if (lower !== '*' && !isTenancyName(lower))
    throw wrong(
      at,
      `${what} ${JSON.stringify(name)} is not a DNS label of 1 to 63 letters, digits and hyphens`
    )
  return lower
}

const tenancyIn = (change: Change, kind: DeclaredChange['kind'], own: Tenancy, at: number): Tenancy => {
  const place = CHANGE_KIND_PLACES[kind]
  if (place === 'cluster') return DEFAULT_TENANCY
  const partition = change.Partition ? nameIn('Partition', change.Partition, at) : own.partition
  if (place === 'partition') return { partition, namespace: '' }
  return {
    partition,
    namespace: change.Namespace ? nameIn('Namespace', change.Namespace, at) : own.namespace
  }
}

const checkBody = ({ Body: body, Delete: isDeletion = false }: Change, at: number): void => {
  if (isDeletion === (body !== undefined)) throw wrong(at, 'it has either Body, the content, or Delete: true')
  const naming = Object.keys(body ?? {}).find(field => NAMING.has(field.toLowerCase()))
  if (naming !== undefined)
    throw wrong(
      at,
      `Body cannot have ${naming}: Kind, Name, Namespace and Partition of the change name the resource`
    )
}

/** Returns a change whose request is found by its kind. */
const plannedChange = (
  request: RequestContext,
  declared: DeclaredChange,
  target: ChangeTarget,
  owner: string | undefined
): PlannedChange => ({
  target,
  requestOf: before => requestOf(declared, { before, owner }),
  ...(declared.kind === 'query' && declared.body === undefined
    ? { permit: () => request.require('query', 'write', declared.name) }
    : {})
})

const changeOf = (
  request: RequestContext,
  change: Change,
  at: number,
  owner: string | undefined
): PlannedChange => {
  const { Kind: kind, Name: name, Index: index, Body: body, Delete: isDeletion = false } = change
  if (!isChangeKind(kind))
    throw wrong(
      at,
      `Kind ${JSON.stringify(kind.slice(0, 200))} is not one of ${CHANGE_KIND_NAMES.join(', ')}`
    )
  checkBody(change, at)
  const tenancy = tenancyIn(change, kind, request.tenancy, at)
  const declared = { kind, name, space: spaceOf(tenancy), body }
  checkName(declared)
  const key = kind === 'binding-rule' ? { key: idOf(declared) } : {}
  const target = { kind, tenancy, name, expected: index, isDeletion, ...key }
  return { ...plannedChange(request, declared, target, owner), position: at }
}

const keyOf = ({ kind, tenancy, name }: ChangeTarget): string =>
  JSON.stringify([kind, spaceOf(tenancy), name])

/** Orders by kind; deletions come last, in the reverse order. */
const rank = ({ target: { kind, isDeletion } }: PlannedChange): number => {
  const at = CHANGE_KIND_NAMES.indexOf(kind)
  return isDeletion ? 2 * CHANGE_KIND_NAMES.length - at : at
}

/** Returns the deletions of the resources of an owner that are not among the targets. */
function* prunedBy(
  request: RequestContext,
  owner: string,
  declared: ReadonlySet<string>
): Iterable<PlannedChange> {
  const { views } = request
  for (const { topic, partition, namespace, key } of views.changeSets.owned(owner)) {
    const kind = changeKindOf(topic)
    if (kind === undefined) continue
    const tenancy = CHANGE_KIND_PLACES[kind] === 'cluster' ? DEFAULT_TENANCY : { partition, namespace }
    const fact = CHANGE_KINDS[kind].keyed(views, tenancy, key)
    if (!fact) continue
    const name = CHANGE_KINDS[kind].nameOf(fact)
    const target = { kind, tenancy, name, key, expected: fact.Index, isDeletion: true }
    if (declared.has(keyOf(target)) || (kind === 'binding-rule' && declared.has(key))) continue
    yield plannedChange(request, { kind, name, space: spaceOf(tenancy), body: undefined }, target, owner)
  }
}

const labelIn = (field: 'ID' | 'Owner', form: RegExp, text: string | undefined): string | undefined => {
  if (text !== undefined && !form.test(text))
    throw invalidChanges(
      `Invalid ${field}: ${JSON.stringify(text.slice(0, 200))} must be 1 to ${field === 'ID' ? 64 : 63} letters, digits, dots, hyphens and underscores, the first a letter or a digit`
    )
  return text
}

/** Returns the change set of a request. @throws Refusal `invalid`, naming the field; `too-large` */
export function* changeSetIn(request: RequestContext, body: Body): Steps<ChangeSet> {
  const isDryRun = request.query.has('dry-run')
  const owner = labelIn('Owner', OWNER, body.Owner)
  const id = labelIn('ID', ID, body.ID) ?? request.newId()
  if (request.views.changeSets.commitsOf(id).length >= MOST_COMMITS)
    throw invalidChanges(`Invalid ID: change set ${JSON.stringify(id)} has ${MOST_COMMITS} commits already`)
  if (body.Changes.length > MOST_CHANGES)
    throw new Refusal(
      'changes.too-large',
      `A change set has at most ${MOST_CHANGES} changes, not ${body.Changes.length}`
    )
  if (body.Prune && (!isDryRun || owner === undefined))
    throw invalidChanges('Invalid Prune: it needs dry-run and Owner; the deletions are then sent as changes')
  const pace = new StepPace()
  const changes: PlannedChange[] = []
  const declared = new Set<string>()
  for (const [at, change] of body.Changes.entries()) {
    const planned = changeOf(request, change, at, owner)
    const { target } = planned
    for (const key of [keyOf(target), ...(target.key === undefined ? [] : [target.key])])
      if (declared.has(key))
        throw invalidChanges(`Invalid Changes: ${describeTarget(target)} has two changes`)
      else declared.add(key)
    changes.push(planned)
    if (pace.isOver()) yield
  }
  if (body.Prune && owner !== undefined)
    for (const deletion of prunedBy(request, owner, declared)) {
      changes.push(deletion)
      if (pace.isOver()) yield
    }
  const ordered = yield* sortedInSteps(changes, (a, b) => rank(a) - rank(b))
  return { id, owner, changes: ordered, isDryRun }
}
