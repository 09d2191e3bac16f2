// What a write makes of the entries: the rules of check-and-set, of writes that change nothing, and of the
// whole after it (spec: config.md §1.1 to §1.3, §5). Pure: the same for a single write, a transaction and a
// trial.
import { isDeepStrictEqual } from 'node:util'
import {
  nameOfEntry,
  type ConfigContent,
  type ConfigEntry,
  type ConfigKind
} from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { checkChanges, type EntryChange } from '../../projections/config/checks.js'
import { ConfigError } from '../../projections/config/fields/decoder.js'
import { tenancyOfKind } from '../../projections/config/names.js'
import type { ConfigOverlay } from '../../projections/config/overlay.js'
import type { EntryReader } from '../../projections/config/reader.js'
import type { EntryRow } from '../../projections/config/rows.js'
import { tenancyViewOf } from '../../projections/tenancy-view.js'
import { invalid } from '../refusal.js'

const contentOf = (entry: ConfigEntry): object => {
  const { CreateIndex: _created, ModifyIndex: _modified, Namespace: _ns, Partition: _ap, ...content } = entry
  return content
}

/** Whether an entry says what a write would make it say. */
export const isSameContent = (row: EntryRow | undefined, content: ConfigContent): boolean =>
  row !== undefined && isDeepStrictEqual(contentOf(row.entry), content)

/** The entry that a write makes. It keeps the index of its making as long as it is not deleted. */
const entryOf = (
  content: ConfigContent,
  tenancy: Tenancy,
  before: EntryRow | undefined,
  index: number
): ConfigEntry => ({
  ...content,
  ...tenancyViewOf(tenancy),
  CreateIndex: before?.entry.CreateIndex ?? index,
  ModifyIndex: index
})

/** Whether the entry found is the one that a writer wants to replace. */
const holds = (cas: number | undefined, before: EntryRow | undefined): boolean =>
  cas === undefined || (cas === 0 ? !before : before?.entry.ModifyIndex === cas)

/** A change of the entries, and what is to be stored or removed by it. */
export interface PlannedChange {
  readonly change: EntryChange
  /** The entry as it will be, or for a deletion as it was. */
  readonly entry: ConfigEntry
}

/** What a set amounts to; undefined when it changes nothing or its check-and-set does not hold. */
export const planSet = (
  entries: EntryReader,
  content: ConfigContent,
  tenancy: Tenancy,
  cas: number | undefined,
  index: number
): PlannedChange | undefined => {
  const home = tenancyOfKind(content.Kind, tenancy)
  const name = nameOfEntry(content)
  const before = entries.row(content.Kind, name, home)
  if (isSameContent(before, content) || !holds(cas, before)) return undefined
  return {
    change: { kind: content.Kind, name, tenancy: home, isDeleted: false, before: before?.entry },
    entry: entryOf(content, home, before, index)
  }
}

/**
 * What a deletion amounts to; undefined when there is nothing to delete or its check-and-set does not hold.
 */
export const planDelete = (
  entries: EntryReader,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy,
  cas: number | undefined
): PlannedChange | undefined => {
  const home = tenancyOfKind(kind, tenancy)
  const row = entries.row(kind, name, home)
  if (!row || (cas !== undefined && row.entry.ModifyIndex !== cas)) return undefined
  return { change: { kind, name, tenancy: home, isDeleted: true, before: row.entry }, entry: row.entry }
}

/** Makes a planned change in an overlay. */
export const applyChange = (entries: ConfigOverlay, { change, entry }: PlannedChange): void => {
  if (change.isDeleted) entries.remove(change.kind, change.name, change.tenancy)
  else entries.put(entry, change.tenancy)
}

/**
 * Checks the entries after changes, once for all of them.
 * @throws Refusal `invalid`, naming the entries that stand against the changes
 */
export const checkAfter = (
  entries: EntryReader,
  plans: readonly PlannedChange[],
  datacenter: string
): void => {
  try {
    checkChanges(
      entries,
      plans.map(({ change }) => change),
      datacenter
    )
  } catch (error) {
    if (error instanceof ConfigError) throw invalid(error.message)
    throw error
  }
}
