import type { IntentionSource, ServiceIntentions } from '../../events/config/access.js'
import type { Tenancy } from '../../events/envelope.js'
import type { ConfigEntries } from '../../projections/config/entries.js'
import { isFrom, type Party } from '../../projections/config/intentions.js'
import { tenancyNamed } from '../../projections/config/names.js'
import { spaceOf } from '../../projections/row-table.js'
import type { Command } from '../aggregate.js'
import { invalid, Refusal } from '../refusal.js'
import { contentOf } from './entry-change.js'

/** Stores an intention in the entry of its destination, by source, or new or replaced by ID. `written` is that entry with this one source. */
type WriteIntention = Command<
  'SetIntention' | 'CreateIntention' | 'UpdateIntention',
  { readonly written: ServiceIntentions }
>

/** Deletes one intention from the entry of its destination; the tenancy is the destination's. */
type DeleteIntention = Command<'DeleteIntention', { readonly destination: string; readonly source: Party }>
type DeleteIntentionById = Command<
  'DeleteIntentionById',
  { readonly destination: string; readonly id: string }
>

export type IntentionCommand = WriteIntention | DeleteIntention | DeleteIntentionById

export const intentionRemovals = ['DeleteIntention', 'DeleteIntentionById'] as const

const intentionsOn = (
  entries: ConfigEntries,
  name: string,
  tenancy: Tenancy
): ServiceIntentions | undefined => {
  const entry = entries.get('service-intentions', name, tenancy)
  return entry && contentOf(entry)
}

const withSources = (content: ServiceIntentions, sources: readonly IntentionSource[]): ServiceIntentions => ({
  ...content,
  Sources: sources.toSorted((a, b) => b.Precedence - a.Precedence)
})

const sourceKeyOf = (source: IntentionSource, own: Tenancy): string =>
  `${spaceOf(tenancyNamed(source, own))}/${source.Name}`

/** A write by source names drops the IDs. @throws Refusal where that would lose Meta */
const withoutId = (source: IntentionSource, at: number): IntentionSource => {
  const { LegacyID, LegacyMeta, LegacyCreateTime: _created, LegacyUpdateTime: _updated, ...kept } = source
  if (LegacyMeta)
    throw invalid(
      'intention.invalid',
      `Sources[${at}].LegacyMeta must be omitted: the intention with the ID "${LegacyID ?? ''}" has Meta, which one without ID cannot have`
    )
  return kept
}

const upserted = (
  content: ServiceIntentions,
  source: IntentionSource,
  tenancy: Tenancy
): ServiceIntentions => {
  const isSame = (one: IntentionSource): boolean => sourceKeyOf(one, tenancy) === sourceKeyOf(source, tenancy)
  const isThere = content.Sources.some(isSame)
  const sources = content.Sources.map((one, i) => (isSame(one) ? source : withoutId(one, i)))
  return withSources(content, isThere ? sources : [...sources, source])
}

/** IDs are valid until the whole entry is written. @throws Refusal `invalid` afterwards */
const requireIds = (content: ServiceIntentions): void => {
  if (content.Sources.some(({ LegacyID }) => LegacyID === undefined) || content.Meta)
    throw invalid(
      'intention.invalid',
      `cannot use legacy intention API to edit intentions with a destination of "${content.Name}" after editing them ` +
        'via a service-intentions config entry'
    )
}

const checkDuplicates = ({ Sources }: ServiceIntentions, tenancy: Tenancy): void => {
  const seen = new Set<string>()
  for (const [i, source] of Sources.entries()) {
    const sourceKey = sourceKeyOf(source, tenancy)
    if (seen.has(sourceKey))
      throw invalid('intention.invalid', `Sources[${i}] defines "${source.Name}" more than once`)
    seen.add(sourceKey)
  }
}

const missing = (verb: 'modify' | 'delete', id: string): Refusal =>
  new Refusal('intention.not-found', `Cannot ${verb} non-existent intention: '${id}'`)

/** A replaced intention keeps its creation time. */
const replaced = (before: IntentionSource, source: IntentionSource): IntentionSource => ({
  ...source,
  ...(before.LegacyCreateTime === undefined ? {} : { LegacyCreateTime: before.LegacyCreateTime })
})

const withReplaced = (content: ServiceIntentions, source: IntentionSource): ServiceIntentions => {
  const { LegacyID = '' } = source
  if (!content.Sources.some(one => one.LegacyID === LegacyID)) throw missing('modify', LegacyID)
  return withSources(
    content,
    content.Sources.map(one => (one.LegacyID === LegacyID ? replaced(one, source) : one))
  )
}

const withOne = (
  command: WriteIntention,
  content: ServiceIntentions | undefined,
  source: IntentionSource
): ServiceIntentions => {
  const { name, tenancy } = command
  if (name === 'SetIntention') return upserted(content ?? command.data.written, source, tenancy)
  if (content) requireIds(content)
  if (name === 'UpdateIntention')
    return withReplaced(content ?? { ...command.data.written, Sources: [] }, source)
  return content ? withSources(content, [...content.Sources, source]) : command.data.written
}

/** Adds or replaces an intention in an entry. @throws Refusal `invalid`, `missing` for an unknown ID */
export const withIntention = (command: WriteIntention, entries: ConfigEntries): ServiceIntentions => {
  const { data, tenancy } = command
  let content = intentionsOn(entries, data.written.Name, tenancy)
  for (const source of data.written.Sources) content = withOne(command, content, source)
  const written = content ?? data.written
  checkDuplicates(written, tenancy)
  return written
}

/**
 * Returns the entry of a destination without an intention; undefined when there is no entry. A missing source
 * changes nothing, but an ID must be known.
 * @throws Refusal `invalid`, `missing`
 */
export const withoutIntention = (
  { name, data, tenancy }: DeleteIntention | DeleteIntentionById,
  entries: ConfigEntries
): ServiceIntentions | undefined => {
  const content = intentionsOn(entries, data.destination, tenancy)
  if (name === 'DeleteIntention')
    return (
      content && { ...content, Sources: content.Sources.filter(one => !isFrom(data.source, one, tenancy)) }
    )
  const Sources = content?.Sources.filter(({ LegacyID }) => LegacyID !== data.id)
  if (!content || Sources?.length === content.Sources.length) throw missing('delete', data.id)
  requireIds(content)
  return { ...content, Sources: Sources ?? [] }
}
