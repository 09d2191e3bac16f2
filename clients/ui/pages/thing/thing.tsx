// One thing: what it is, or was at the moment that is looked at, and each version of it with who made it and what it changed.
import { useMemo, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Query } from '../../../typescript/connection.js'
import { useStream } from '../../live/use-stream.js'
import { Heading } from '../../parts/heading.js'
import { Notice } from '../../parts/notice.js'
import { Refusal } from '../../parts/refusal.js'
import { moment } from '../../past/moment.js'
import { useAnswer } from '../../session/use-answer.js'
import { isEnd } from '../../things/fold.js'
import { titleOf, type Kind } from '../../things/kind.js'
import { shown, type Version } from '../../things/versions.js'
import { Compare } from './compare.js'
import { Panel } from './panel.js'
import { Revert } from './revert.js'
import { useVersions, type Versions } from './use-versions.js'
import { VersionRow } from './version-row.js'
import { VersionSlider } from './version-slider.js'

/** The version that is looked at: of those that are loaded, or one that is asked for. */
const useSeen = (named: Query, { versions, hasOlder }: Versions): Version | undefined => {
  const at = moment.value ?? Infinity
  const found = versions?.find(({ Index }) => Index <= at)
  const isOlder = versions !== undefined && !found && hasOlder
  const query = { ...named, payload: true, limit: 1, before: at + 1 }
  const { value } = useAnswer<readonly Version[]>(isOlder ? '/v1/event/history' : undefined, query)
  return found ?? (isOlder ? value?.[0] : undefined)
}

interface NowProps {
  readonly seen: Version
  /** The one before it, where that is known. */
  readonly before: Version | undefined
  readonly named: Query
}

/** What the thing was at the moment that is looked at. */
const Now = ({ seen, before, named }: NowProps) => (
  <>
    {isEnd(seen) && (
      <Notice tone="warn">
        It is gone since commit {seen.Index}; this is what it was last.
        {before && <Revert named={named} to={before.Index} label="Bring it back …" />}
      </Notice>
    )}
    {seen.Erased && <Notice>What it was then has been erased.</Notice>}
    {seen.Withheld && <Notice>This version is withheld: the token has no permission to read it.</Notice>}
    {seen.Payload && (
      <pre class="payload" tabIndex={0}>
        {shown(seen.Payload)}
      </pre>
    )}
  </>
)

const History = ({ named, told }: { readonly named: Query; readonly told: Versions }) => {
  const { versions = [], hasOlder, loadOlder } = told
  const isUntold = versions.length > 0 && versions.every(({ By }) => !By)
  return (
    <>
      <h2>History</h2>
      {isUntold && <p role="note">Who made the versions is told to tokens with operator:read.</p>}
      {versions.map((version, at) => (
        <VersionRow key={version.Index} version={version} named={named} isNewest={at === 0} />
      ))}
      {hasOlder && (
        <p>
          <button type="button" onClick={loadOlder}>
            Older versions
          </button>
        </p>
      )}
      <Compare versions={versions.filter(({ Payload }) => Payload)} />
    </>
  )
}

export const ThingPage = ({ kind }: { readonly kind: Kind }) => {
  const { key = '', ns = '', partition = '', node = '' } = useLocation().query
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
  const told = useVersions(named, turn)
  const { versions = [], failure } = told
  const [newest] = versions
  const seen = useSeen(named, told)
  const place = seen ? versions.indexOf(seen) : -1
  const called = (seen ?? newest)?.Payload
  return (
    <main class="thing">
      <nav aria-label="Path">
        <a href={`/ui/${kind.path}`}>{kind.title}</a>
      </nav>
      <Heading>{(called && titleOf(kind, called)) || key}</Heading>
      <Refusal text={failure} />
      {seen && versions.length > 1 && place >= 0 && <VersionSlider versions={versions} seen={seen} />}
      {seen && <Now seen={seen} before={place < 0 ? undefined : versions[place + 1]} named={named} />}
      {newest && !seen && <p role="status">It was not there yet.</p>}
      {seen?.Payload && !isEnd(seen) && (
        <Panel key={`${kind.topic} ${key}`} newest={seen} named={named} turn={turn} />
      )}
      {newest && <History named={named} told={told} />}
    </main>
  )
}
