// Goes back and forth through the versions of a thing; all pages are shown as of the one that is chosen.
import { useLocation } from 'preact-iso'
import { addressAt } from '../../past/moment.js'
import type { Version } from '../../things/versions.js'

interface Props {
  /** Newest first. */
  readonly versions: readonly Version[]
  readonly seen: Version
}

export const VersionSlider = ({ versions, seen }: Props) => {
  const { url, route } = useLocation()
  const last = versions.length - 1
  const isNow = seen === versions[0]
  const go = (step: number): void => {
    const version = versions[last - step]
    route(addressAt(url, version === versions[0] ? undefined : version?.Index), true)
  }
  return (
    <p class="choices">
      <input
        type="range"
        aria-label="Version"
        min={0}
        max={last}
        value={last - versions.indexOf(seen)}
        onInput={({ currentTarget }) => go(currentTarget.valueAsNumber)}
      />
      <span role="status">{isNow ? 'as it is now' : `as it was from ${seen.Index} on`}</span>
    </p>
  )
}
