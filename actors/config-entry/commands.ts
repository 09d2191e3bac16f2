// Commands on configuration entries (spec: config.md §1).
import type { ConfigContent, ConfigKind } from '../../events/config-entry.js'
import type { ServiceIntentions } from '../../events/config/access.js'
import type { Party } from '../../projections/config/intentions.js'
import type { Command } from '../command.js'

/**
 * Stores an entry. Its tenancy is the command's.
 * `cas`: undefined writes in any case, 0 only if there is none, else only if that is the index of its last change.
 */
export type SetConfigEntry = Command<
  'SetConfigEntry',
  { readonly content: ConfigContent; readonly cas: number | undefined }
>

/** `cas`: undefined deletes in any case, else only if that is the index of the entry's last change. */
export type DeleteConfigEntry = Command<
  'DeleteConfigEntry',
  { readonly kind: ConfigKind; readonly name: string; readonly cas: number | undefined }
>

/** Deletes an entry whatever becomes of the chains that it was in: its namespace ends. */
export type RemoveConfigEntry = Command<
  'RemoveConfigEntry',
  { readonly kind: ConfigKind; readonly name: string }
>

/** Puts one intention into the entry of its destination. `written` is that entry with this one source. */
export type SetIntention = Command<'SetIntention', { readonly written: ServiceIntentions }>

/** Takes one intention out of the entry of its destination; the tenancy is the destination's. */
export type DeleteIntention = Command<
  'DeleteIntention',
  { readonly destination: string; readonly source: Party }
>

/** Adds an intention with an ID to the entry of its destination. `written` is that entry with this one source. */
export type CreateIntention = Command<'CreateIntention', { readonly written: ServiceIntentions }>

/** Replaces an intention with an ID. `written` is the entry of its destination with this one source, which has that ID. */
export type UpdateIntention = Command<'UpdateIntention', { readonly written: ServiceIntentions }>

/** Takes an intention with an ID out of the entry of its destination; the tenancy is the destination's. */
export type DeleteIntentionById = Command<
  'DeleteIntentionById',
  { readonly destination: string; readonly id: string }
>

export type ConfigEntryCommand =
  | SetConfigEntry
  | DeleteConfigEntry
  | RemoveConfigEntry
  | SetIntention
  | DeleteIntention
  | CreateIntention
  | UpdateIntention
  | DeleteIntentionById
