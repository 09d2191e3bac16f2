// Plans changes of entries for writes, transactions and dry runs (spec: config.md §1.1 to §1.3, §5). Pure.
import { rethrowAs } from '../../events/errors.js'
import { isDeepStrictEqual } from 'node:util'
import {
  nameOfEntry,
  type ConfigContent,
  type ConfigEntry,
  type ConfigKind
} from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { checkChanges, type EntryChange } from '../../projections/config/checks.js'
import { ConfigError } from '../../events/config/fields/decoder.js'
import { tenancyOfKind } from '../../projections/config/names.js'
import type { ConfigEntries } from '../../projections/config/entries.js'
import type { EntryReader } from '../../projections/config/reader.js'
import type { EntryRow } from '../../projections/config/rows.js'
import { tenancyViewOf } from '../../projections/tenancy-view.js'
import { invalid } from '../refusal.js'

/** Returns the entry without what the service adds. */
export const contentOf = <Entry extends ConfigEntry>(entry: Entry) => {
  const { CreateIndex: _created, ModifyIndex: _modified, Namespace: _ns, Partition: _ap, ...content } = entry
  return content
}

/** True when a write would not change the entry. */
export const isSameContent = (row: EntryRow | undefined, content: ConfigContent): boolean =>
  row !== undefined && isDeepStrictEqual(contentOf(row.entry), content)

const matchesCas = (cas: number | undefined, before: EntryRow | undefined): boolean =>
  cas === undefined || (cas === 0 ? !before : before?.entry.ModifyIndex === cas)

export interface PlannedChange {
  readonly change: EntryChange
  /** The new entry, or the last state of a deleted one. */
  readonly entry: ConfigEntry
}

/** Plans a set; undefined when it changes nothing or the check-and-set index differs. */
export const planSet = (
  entries: EntryReader,
  content: ConfigContent,
  tenancy: Tenancy,
  cas: number | undefined,
  index: number
): PlannedChange | undefined => {
  const entryTenancy = tenancyOfKind(content.Kind, tenancy)
  const name = nameOfEntry(content)
  const before = entries.row(content.Kind, name, entryTenancy)
  if (isSameContent(before, content) || !matchesCas(cas, before)) return undefined
  return {
    change: { kind: content.Kind, name, tenancy: entryTenancy, isDeleted: false, before: before?.entry },
    entry: {
      ...content,
      ...tenancyViewOf(entryTenancy),
      CreateIndex: before?.entry.CreateIndex ?? index,
      ModifyIndex: index
    }
  }
}

/** Plans a deletion; undefined without an entry or when the check-and-set index differs. */
export const planDelete = (
  entries: EntryReader,
  kind: ConfigKind,
  name: string,
  tenancy: Tenancy,
  cas: number | undefined
): PlannedChange | undefined => {
  const entryTenancy = tenancyOfKind(kind, tenancy)
  const row = entries.row(kind, name, entryTenancy)
  if (!row || (cas !== undefined && row.entry.ModifyIndex !== cas)) return undefined
  const { entry } = row
  return { change: { kind, name, tenancy: entryTenancy, isDeleted: true, before: entry }, entry }
}

/** Returns a draft of the entries with a change. @param index that its commit will have */
export const draftOf = (
  entries: ConfigEntries,
  { change, entry }: PlannedChange,
  index: number
): ConfigEntries => {
  const draft = entries.draft()
  if (change.isDeleted) draft.remove(change.kind, change.name, change.tenancy, index, true)
  else draft.put(entry, change.tenancy, index, true)
  return draft
}

/** Checks the entries after all changes. @throws Refusal `invalid`, naming the conflicting entries */
export const checkAfter = (entries: EntryReader, changes: readonly EntryChange[], datacenter: string): void =>
  rethrowAs(
    () => checkChanges(entries, changes, datacenter),
    ConfigError,
    message => invalid('config.invalid', message)
  )
