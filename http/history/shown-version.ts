// Versions of a thing as an answer shows them.
import type { Origin } from '../../events/envelope.js'
import { patchOf, wholeOf } from '../../projections/past/patch.js'
import type { Version } from '../../projections/past/thing.js'
import { shown } from '../../projections/stream/shown.js'
import type { Views } from '../../projections/views.js'
import type { VersionPage } from './versions.js'

export type Seen = 'all' | 'without who' | 'nothing'

/** How versions are shown to one reader. */
export interface Showing {
  /** What the reader may know of a version: all, who made it left out, or only that it is. */
  readonly seen: (version: Version) => Seen
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

const shownVersion = (version: Version, before: Version | undefined, showing: Showing): object => {
  const { commit, event } = version
  const { Index, Time, By } = commit
  const seen = showing.seen(version)
  if (seen === 'nothing') return { Index, Time, Type: event.Type, Withheld: true }
  if (version.isBase) return { Index, Type: event.Type, Base: true, Payload: shown(event).Payload }
  const head = {
    Index,
    Time,
    Type: event.Type,
    ...(seen === 'all' ? { By: shownOrigin(By, showing.views) } : {})
  }
  if (event.Erased) return { ...head, Erased: true }
  const { Payload } = shown(event)
  // What was erased, or is not shown, is nothing that a patch could be applied to.
  const Patch =
    before && !before.event.Erased && showing.seen(before) !== 'nothing'
      ? patchOf(shown(before.event).Payload, Payload)
      : wholeOf(Payload)
  return { ...head, Patch, ...(showing.payload ? { Payload } : {}) }
}

/** The elements of the answer: each with the change from the version before it, in the form of payloads of the event stream. */
export const shownVersions = ({ versions, before }: VersionPage, showing: Showing): readonly object[] =>
  versions.map((version, i) => shownVersion(version, versions[i + 1] ?? before, showing))
