// One thing: what it is now, and each version of it with who made it and what it changed.
import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useStream } from '../../live/use-stream.js'
import { Changes } from '../../parts/changes.js'
import { Heading } from '../../parts/heading.js'
import { Refusal } from '../../parts/refusal.js'
import { useAnswer } from '../../session/use-answer.js'
import { isEnd } from '../../things/fold.js'
import { titleOf, type Kind } from '../../things/kind.js'
import { shown, type Version } from '../../things/versions.js'
import type { Query } from '../../../../client/connection.js'
import { Compare } from './compare.js'
import { Panel } from './panel.js'
import { Revert } from './revert.js'

interface VersionProps {
  readonly version: Version
  /** Names the thing. */
  readonly named: Query
  readonly isNewest: boolean
}

const VersionRow = ({ version, named, isNewest }: VersionProps) => {
  const { Index, Time, Type, By, Patch = [] } = version
  return (
    <details>
      <summary>
        <span class="index">{Index}</span> <time dateTime={Time}>{new Date(Time).toLocaleString()}</time>{' '}
        <b>{Type}</b>{' '}
        {By && (
          <>
            by {By.TokenName || By.AccessorID} from {By.Address} {By.Reason && <q>{By.Reason}</q>}
          </>
        )}
      </summary>
      <Changes patch={Patch} />
      {!isNewest && <Revert named={named} to={Index} />}
    </details>
  )
}

/** The newest of the versions, newest first, that were there at an index. */
const asOf = (versions: readonly Version[], at: number): Version | undefined =>
  versions.find(({ Index }) => Index <= at)

interface SliderProps {
  readonly versions: readonly Version[]
  readonly at: number
}

/** Goes back and forth through the versions; the address tells which one is shown. */
const Slider = ({ versions, at }: SliderProps) => {
  const { url, route } = useLocation()
  const place = versions.findIndex(({ Index }) => Index <= at)
  const go = (step: number): void => {
    const address = new URL(url, location.origin)
    const version = versions[versions.length - 1 - step]
    if (version === versions[0] || !version) address.searchParams.delete('at')
    else address.searchParams.set('at', String(version.Index))
    route(address.pathname + address.search, true)
  }
  return (
    <input
      type="range"
      aria-label="Version"
      min={0}
      max={versions.length - 1}
      value={versions.length - 1 - place}
      onInput={({ currentTarget }) => go(currentTarget.valueAsNumber)}
    />
  )
}

export const ThingPage = ({ kind }: { readonly kind: Kind }) => {
  const { query } = useLocation()
  const { key = '', ns = '', partition = '', node = '', at = '' } = query
  const [turn, setTurn] = useState(0)
  const happens = useMemo(
    () => ({ topics: [`${kind.topic}:${key}`], index: 'now', namespace: '*' }) as const,
    [kind, key]
  )
  useStream(happens, messages => {
    if (messages.some(({ Events }) => Events.length > 0)) setTurn(before => before + 1)
  })
  const named: Query = {
    topic: kind.topic,
    key,
    ns: ns || undefined,
    partition: partition || undefined,
    node: node || undefined
  }
  const asked = { ...named, payload: true, limit: 100 }
  const { value: versions, failure } = useAnswer<readonly Version[]>('/v1/event/history', asked, turn)
  const newest = versions?.[0]
  const place = at === '' ? Infinity : Number(at)
  const seen = versions && asOf(versions, place)
  return (
    <main class="thing">
      <nav aria-label="Path">
        <a href={`/ui/${kind.path}`}>{kind.title}</a>
      </nav>
      <Heading>{(newest?.Payload && titleOf(kind, newest.Payload)) || key}</Heading>
      <Refusal text={failure} />
      {versions && versions.length > 1 && (
        <p class="choices">
          <Slider versions={versions} at={place} />
          <span role="status">{seen === newest ? 'as it is now' : `as it was from ${seen?.Index} on`}</span>
        </p>
      )}
      {seen && (
        <pre class="payload" tabIndex={0}>
          {shown(seen.Payload)}
        </pre>
      )}
      {newest && !seen && <p role="status">It was not there yet.</p>}
      {newest && !isEnd(newest) && (
        <Panel key={`${kind.topic} ${key}`} newest={newest} named={named} turn={turn} />
      )}
      <h2>History</h2>
      {versions?.map(version => (
        <VersionRow key={version.Index} version={version} named={named} isNewest={version === newest} />
      ))}
      {versions && <Compare versions={versions} />}
    </main>
  )
}
