// Intentions with Meta: only `/v1/connect/intentions` shows it, and only an intention with an ID has it.
import type { Writing } from './kind.js'
import type { Reader } from './reader.js'
import { textIn, type Row } from './resource.js'

export const INTENTIONS = 'service-intentions'

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null
const sourcesIn = (entry: Row): readonly Row[] =>
  Array.isArray(entry['Sources']) ? entry['Sources'].filter(isRow) : []

/** Identifies an intention within a namespace of destinations. */
const partiesOf = (destination: string, source: string, namespace: string): string =>
  JSON.stringify([destination, source, namespace || 'default'])

/** Entries with the Meta of each source as its `LegacyMeta`. @throws RequestRefused, Unreachable */
export const withMeta = async (reader: Reader, entries: readonly Row[]): Promise<readonly Row[]> => {
  if (entries.length === 0) return entries
  const metas = new Map<string, unknown>()
  for (const intention of await reader.list('/v1/connect/intentions')) {
    const { ID, Meta } = intention
    if (!ID || !isRow(Meta) || Object.keys(Meta).length === 0) continue
    const [destination, source] = [textIn(intention, 'DestinationName'), textIn(intention, 'SourceName')]
    metas.set(partiesOf(destination, source, textIn(intention, 'SourceNS')), Meta)
  }
  return entries.map(entry => ({
    ...entry,
    Sources: sourcesIn(entry).map(shown => {
      const { LegacyID: _id, LegacyCreateTime: _created, LegacyUpdateTime: _updated, ...source } = shown
      const namespace = textIn(source, 'Namespace') || reader.namespace
      const LegacyMeta = metas.get(partiesOf(textIn(entry, 'Name'), textIn(source, 'Name'), namespace))
      return LegacyMeta === undefined ? source : { ...source, LegacyMeta }
    })
  }))
}

/**
 * How an entry is written whose sources have Meta: one by one, after what the target has is deleted.
 * Undefined for every other entry.
 */
export const intentionWritings = (entry: Row): readonly Writing[] | undefined => {
  const sources = sourcesIn(entry)
  if (!sources.some(source => source['LegacyMeta'])) return undefined
  const path = `/v1/config/${INTENTIONS}/${encodeURIComponent(textIn(entry, 'Name'))}`
  const bodies = sources.map(source => ({
    SourceName: source['Name'],
    SourceNS: source['Namespace'],
    SourceType: source['Type'],
    DestinationName: entry['Name'],
    Action: source['Action'],
    Description: source['Description'],
    Meta: source['LegacyMeta']
  }))
  return [
    { method: 'DELETE', path },
    ...bodies.map(body => ({ method: 'POST', path: '/v1/connect/intentions', body }) as const)
  ]
}
