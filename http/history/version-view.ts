// Versions of a thing as an answer shows them.
import type { Event, Origin } from '../../events/envelope.js'
import { patchOf, replacementPatchOf } from '../../projections/history/json-patch.js'
import type { ResourceVersion } from '../../projections/history/history-target.js'
import { eventViewOf } from '../../projections/stream/event-view.js'
import type { Views } from '../../projections/read-models.js'
import type { VersionPage } from './versions.js'

/** What a reader sees of a version. */
export interface VisibleVersion {
  /** Undefined: only that there is the version. */
  readonly event: Event | undefined
  /** Whether the reader may know who made the version. */
  readonly isWhoSeen: boolean
}

/** How versions are shown to one reader. */
interface VersionViewOptions {
  readonly seen: (version: ResourceVersion) => VisibleVersion
  /** Whether each tells its whole payload. */
  readonly payload: boolean
  readonly views: Views
}

/** Who made a version: with the token's description, if it still is. */
const shownOrigin = (by: Origin, { tokens }: Views): object => {
  if (by.Erased) return { Erased: true }
  const { AccessorID, Address, RequestID, Command, Reason, Cause } = by
  const TokenName = AccessorID === '' ? undefined : tokens.get(AccessorID)?.token.Description
  return { AccessorID, TokenName, Address, RequestID, Command, Reason, Cause }
}

const shownVersion = (
  version: ResourceVersion,
  before: ResourceVersion | undefined,
  showing: VersionViewOptions
): object => {
  const { commit, isBase } = version
  const { Index, Time, By } = commit
  const { event, isWhoSeen } = showing.seen(version)
  if (!event) return { Index, Time, Type: version.event.Type, Withheld: true }
  const { Type } = event
  if (isBase) return { Index, Type, Base: true, Payload: eventViewOf(event).Payload }
  const head = { Index, Time, Type, ...(isWhoSeen ? { By: shownOrigin(By, showing.views) } : {}) }
  if (event.Erased) return { ...head, Erased: true }
  const { Payload } = eventViewOf(event)
  const former = before && showing.seen(before).event
  // What was erased, or is not shown, is nothing that a patch could be applied to.
  const Patch =
    former && !former.Erased ? patchOf(eventViewOf(former).Payload, Payload) : replacementPatchOf(Payload)
  return { ...head, Patch, ...(showing.payload ? { Payload } : {}) }
}

/** The elements of the answer: each with the change from the version before it, in the form of payloads of the event stream. */
export const versionViewsOf = (
  { versions, before }: VersionPage,
  showing: VersionViewOptions
): readonly object[] =>
  versions.map((version, i) => shownVersion(version, versions[i + 1] ?? before, showing))
