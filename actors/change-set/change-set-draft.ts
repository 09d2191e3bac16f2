// The draft of a change set: changes of several resources, decided one after another.
import { isDeepStrictEqual } from 'node:util'
import { isConfigEntryEvent, nameOfEntry } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent, isPartitionEvent } from '../../events/namespace.js'
import { formatTime } from '../../events/time.js'
import { tenancyOf } from '../../projections/tenancy-view.js'
import type { EntryChange } from '../../projections/config/checks.js'
import { resourceOf } from '../../events/log/log.js'
import { canHaveOwner } from '../../projections/change-sets.js'
import { withFilterKeys } from '../../projections/filter-keys.js'
import { DraftViews } from '../../projections/draft-views.js'
import { type Fact, eventOf } from '../../projections/projection.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import { checkAfter } from '../config-entry/entry-change.js'
import { Refusal } from '../refusal.js'
import { CHANGE_KINDS } from './change-kinds.js'
import { type ChangeKindName } from './change-kind-names.js'

/** `adopt`: only the owner label changes. */
type ChangeAction = 'create' | 'update' | 'adopt' | 'delete' | 'none'

/** One resource of a change set. */
export interface ChangeTarget {
  readonly kind: ChangeKindName
  readonly tenancy: Tenancy
  readonly name: string
  /** The key of its events, which finds it in place of the name; undefined if only the name is known. */
  readonly key?: string
  /** The ModifyIndex that it must have, 0 if it must not exist; undefined for any. */
  readonly expected: number | undefined
  readonly isDeletion: boolean
}

/** A command on a resource. */
export interface ChangeStep {
  readonly target: ChangeTarget
  /** Returns the events of the command. @throws Refusal of the decision */
  readonly decide: (views: Views) => readonly Event[]
}

export interface ChangeOutcome {
  readonly action: ChangeAction
  /** The resource before; undefined without one. */
  readonly before: Event | undefined
  /** The event of the resource itself; undefined if nothing changes. */
  readonly event: Event | undefined
  /** The ModifyIndex before; 0 without a resource. */
  readonly index: number
  /** All events, with those of other resources. */
  readonly events: readonly Event[]
}

/** Names a target in errors. */
export const describeTarget = ({ kind, name, tenancy: { partition, namespace } }: ChangeTarget): string => {
  const place = partition === 'default' ? namespace : `${partition}/${namespace}`
  const isDefault = place === '' || place === 'default'
  return `${kind} ${JSON.stringify(name)}${isDefault ? '' : ` in ${place.replace(/\/$/, '')}`}`
}

/** Returns whether an event deletes a resource or marks it for deletion. */
export const isEnd = (event: Event): boolean =>
  event.Type.endsWith('Deleted') ||
  event.Type === 'KVDelete' ||
  (isNamespaceEvent(event) && event.Payload.Namespace.DeletedAt !== undefined) ||
  (isPartitionEvent(event) && event.Payload.Partition.DeletedAt !== undefined)

/** Returns a payload with these fields of its resource. */
const withFields = (payload: object, fields: object): object =>
  Object.fromEntries(
    Object.entries(payload).map(([name, resource]) => [name, { ...Object(resource), ...fields }])
  )

/** Fields of intentions that only their own endpoints write. A change set without other changes keeps them. */
const LEGACY: ReadonlySet<string> = new Set([
  'LegacyID',
  'LegacyCreateTime',
  'LegacyUpdateTime',
  'LegacyMeta'
])

/** The content of a version without its index, and without the hash, which follows from it. */
const contentOf = ({ Topic, Payload, Secrets = {} }: Event | Fact): unknown => {
  const content = { Payload: withFields(Payload, { ModifyIndex: undefined, Hash: undefined }), Secrets }
  const isLegacy = (name: string): boolean => Topic === 'ConfigEntry' && LEGACY.has(name)
  return JSON.parse(JSON.stringify(content, (name, value: unknown) => (isLegacy(name) ? undefined : value)))
}

const isSameVersion = (event: Event, before: Event): boolean =>
  !isEnd(event) && isDeepStrictEqual(contentOf(event), contentOf(before))

/** Returns the event that stores a version again. */
const withModifyIndex = (before: Event, ModifyIndex: number): Event =>
  withFilterKeys({ ...before, Payload: withFields(before.Payload, { ModifyIndex }) })

/** Returns the change of a configuration entry; undefined for another resource, and for nothing. */
const entryChangeOf = ({ before, event }: ChangeOutcome): EntryChange | undefined => {
  if (!event || !isConfigEntryEvent(event)) return undefined
  const { ConfigEntry: entry } = event.Payload
  return {
    kind: entry.Kind,
    name: nameOfEntry(entry),
    tenancy: tenancyOf(event),
    isDeleted: isEnd(event),
    before: before && isConfigEntryEvent(before) ? before.Payload.ConfigEntry : undefined
  }
}

/** The future commit of a change set. Its configuration entries are checked together, when all are in it. */
export class ChangeSetDraft {
  readonly views: DraftViews
  readonly #time: string

  /** @param owner label of the owner of its resources. @param at epoch milliseconds */
  constructor(
    below: Views,
    private readonly owner: string | undefined,
    at: number
  ) {
    this.views = new DraftViews(below, false)
    this.#time = formatTime(at)
  }

  /** Returns the stored resource of a target, or its state after earlier changes; undefined without one. */
  find({ kind, tenancy, name, key }: ChangeTarget): Fact | undefined {
    if (kind === 'key') this.views.loadKey(tenancy, name)
    const { keyed, named } = CHANGE_KINDS[kind]
    return key === undefined
      ? named(this.views, tenancy, name, this.owner ?? '')
      : keyed(this.views, tenancy, key)
  }

  /**
   * Decides a change and applies it to the draft. A change to the stored content has no effect.
   * @throws Refusal of the decision; `conflict` if the resource changed since or belongs to another owner
   */
  apply({ target, decide }: ChangeStep): ChangeOutcome {
    const fact = this.find(target)
    const before = fact && eventOf(fact)
    const index = fact?.Index ?? 0
    const owner = before && this.views.changeSets.ownerOf(resourceOf(before))
    this.#check(target, index, owner)
    const unchanged = { action: 'none', before, event: undefined, index, events: [] } as const
    if (target.isDeletion && !before) return unchanged
    const events = decide(this.views)
    const { topic } = CHANGE_KINDS[target.kind]
    const event = events.findLast(({ Topic }) => Topic === topic)
    if (before && !(event && !isSameVersion(event, before))) {
      const isAdopted = this.owner !== undefined && owner === undefined && canHaveOwner(before)
      if (!isAdopted || target.isDeletion) return unchanged
      const adopted = withModifyIndex(before, this.views.index + 1)
      this.views.draft([adopted], this.#time)
      return { action: 'adopt', before, event: adopted, index, events: [adopted] }
    }
    if (!event) return unchanged
    this.views.draft(events, this.#time)
    return { action: isEnd(event) ? 'delete' : before ? 'update' : 'create', before, event, index, events }
  }

  /** Checks the configuration entries of these outcomes in the state after all changes. @throws Refusal `invalid` */
  checkEntries(outcomes: readonly ChangeOutcome[]): void {
    const changes = outcomes.flatMap(outcome => entryChangeOf(outcome) ?? [])
    if (changes.length > 0) checkAfter(this.views.config, changes, this.views.settings.datacenter)
  }

  #check(target: ChangeTarget, index: number, owner: string | undefined): void {
    const { expected } = target
    if (expected !== undefined && expected !== index)
      throw new Refusal(
        'changes.stale',
        `${describeTarget(target)} changed since: its ModifyIndex is ${index}, not ${expected}`
      )
    if (owner !== undefined && this.owner !== undefined && owner !== this.owner)
      throw new Refusal(
        'changes.other-owner',
        `${describeTarget(target)} belongs to the owner ${JSON.stringify(owner)}, not to ${JSON.stringify(this.owner)}`
      )
  }
}

/** Returns the outcomes of the changes on read models. @throws Refusal as `ChangeSetDraft.apply` */
export const decideChanges =
  (steps: readonly ChangeStep[], owner: string | undefined, at: number) =>
  (views: Views): readonly ChangeOutcome[] => {
    const draft = new ChangeSetDraft(views, owner, at)
    const outcomes = steps.map(step => draft.apply(step))
    draft.checkEntries(outcomes)
    return outcomes
  }

type ChangeDecision = (views: Views) => readonly ChangeOutcome[]

/** A change set: changes of several resources in one commit. Each change has a tenancy of its own and is checked with it. */
export const changeSetAggregate: Aggregate<
  Command<'ApplyChangeSet', { readonly decide: ChangeDecision }>,
  { readonly events: readonly Event[]; readonly outcomes: readonly ChangeOutcome[] }
> = {
  scope: 'cluster',
  decide: ({ data }, views) => {
    const outcomes = data.decide(views)
    return { events: outcomes.flatMap(({ events }) => events), outcomes }
  }
}
