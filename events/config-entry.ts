// Content, names and events of configuration entries (spec: config.md, stream.md §15).
import { resourceEvents, type EventOf } from './envelope.js'
import type {
  ExportedServices,
  IngressGateway,
  Mesh,
  ServiceIntentions,
  TerminatingGateway
} from './config/access.js'
import type { ServiceResolver, ServiceRouter, ServiceSplitter } from './config/routing.js'
import type { StoredFields } from './config/parts.js'
import type { ProxyDefaults, ServiceDefaults } from './config/services.js'

/** Normalised entries without tenancy and indexes. */
export interface ContentByKind {
  readonly 'exported-services': ExportedServices
  readonly 'ingress-gateway': IngressGateway
  readonly mesh: Mesh
  readonly 'proxy-defaults': ProxyDefaults
  readonly 'service-defaults': ServiceDefaults
  readonly 'service-intentions': ServiceIntentions
  readonly 'service-resolver': ServiceResolver
  readonly 'service-router': ServiceRouter
  readonly 'service-splitter': ServiceSplitter
  readonly 'terminating-gateway': TerminatingGateway
}

export type ConfigKind = keyof ContentByKind
export type ConfigContent = ContentByKind[ConfigKind]
export type EntryOf<Kind extends ConfigKind> = ContentByKind[Kind] & StoredFields
export type ConfigEntry = { [Kind in ConfigKind]: EntryOf<Kind> }[ConfigKind]

/** In byte order. */
export const CONFIG_KINDS: readonly ConfigKind[] = [
  'exported-services',
  'ingress-gateway',
  'mesh',
  'proxy-defaults',
  'service-defaults',
  'service-intentions',
  'service-resolver',
  'service-router',
  'service-splitter',
  'terminating-gateway'
]

const kinds: ReadonlySet<string> = new Set(CONFIG_KINDS)
export const isConfigKind = (text: string): text is ConfigKind => kinds.has(text)

/** Returns the name of an entry. The mesh entry has a fixed name and no Name field. */
export const nameOfEntry = (entry: ConfigContent): string => (entry.Kind === 'mesh' ? 'mesh' : entry.Name)

export const CONFIG_ENTRY_TOPIC = 'ConfigEntry'
/** Keys are `<kind>/<name in lower case>` (config.md §1.1). */
export const configEntryEvents = resourceEvents({
  topic: CONFIG_ENTRY_TOPIC,
  types: ['ConfigEntryUpserted', 'ConfigEntryDeleted'],
  payloadOf: (entry: ConfigEntry) => ({ ConfigEntry: entry }),
  keyOf: payload => `${payload.ConfigEntry.Kind}/${nameOfEntry(payload.ConfigEntry).toLowerCase()}`,
  filterKeysOf: payload => [payload.ConfigEntry.Kind, nameOfEntry(payload.ConfigEntry)]
})
export type ConfigEntryEvent = EventOf<typeof configEntryEvents>
export const isConfigEntryEvent = configEntryEvents.is
