import { useState } from 'preact/hooks'
import { useLocation, ErrorBoundary, lazy } from 'preact-iso'
import type { Query } from '../../../typescript/connection.js'
import { Select } from '../../components/field.js'
import { Heading } from '../../components/heading.js'
import { Notice, Refusal } from '../../components/notice.js'
import { Section } from '../../components/section.js'
import { asOfIndex, addressAsOf } from '../../time-travel/as-of-state.js'
import { useResponse } from '../../session/use-response.js'
import { isDeletion } from '../../resources/fold.js'
import { titleOf, type Kind } from '../../resources/kind.js'
import { versionViewFor, type Version } from '../../resources/versions.js'
import { useChanges } from '../use-task.js'
import { Revert } from './revert.js'
import { useVersions, type Versions } from './use-versions.js'
import { VersionRow } from './version-row.js'
import { SideBySide } from '../../components/side-by-side.js'
import type { FunctionComponent } from 'preact'
import type { PanelProps } from './panel-props.js'

interface Props {
  /** Newest first. */
  readonly versions: readonly Version[]
  readonly seen: Version
}

/** Steps through the versions. The selected one becomes the displayed point in time. */
const VersionSlider = ({ versions, seen }: Props) => {
  const { url, route } = useLocation()
  const last = versions.length - 1
  const isNow = seen === versions[0]
  const go = (step: number): void => {
    const version = versions[last - step]
    route(addressAsOf(url, version === versions[0] ? undefined : version?.Index), true)
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
      <span role="status">{isNow ? 'current version' : `version of commit ${seen.Index}`}</span>
    </p>
  )
}

const PANELS: Readonly<Record<string, FunctionComponent<PanelProps>>> = {
  ACLToken: lazy(async () => (await import('../access/token-panel.js')).TokenPanel),
  ACLPolicy: lazy(async () => (await import('../access/panels.js')).PolicyPanel),
  ACLRole: lazy(async () => (await import('../access/panels.js')).RolePanel),
  ACLAuthMethod: lazy(async () => (await import('../access/panels.js')).AuthMethodPanel),
  ACLBindingRule: lazy(async () => (await import('../access/panels.js')).BindingRulePanel),
  Service: lazy(async () => (await import('../catalog/instance-panel.js')).InstancePanel),
  Check: lazy(async () => (await import('../catalog/check-panel.js')).CheckPanel),
  Node: lazy(async () => (await import('../catalog/node-panel.js')).NodePanel),
  ConfigEntry: lazy(async () => (await import('../mesh/entry-editor.js')).EntryEditor),
  KV: lazy(async () => (await import('../keys/key/key-editor.js')).KeyEditor),
  Session: lazy(async () => (await import('../keys/locks/session-panel.js')).SessionPanel),
  PreparedQuery: lazy(async () => (await import('../queries/query-panel.js')).QueryPanel),
  Namespace: lazy(async () => (await import('../server/tenancy/panels.js')).NamespacePanel),
  Partition: lazy(async () => (await import('../server/tenancy/panels.js')).PartitionPanel)
}

const Panel = (props: PanelProps) => {
  const { topic } = props.named
  const Found = typeof topic === 'string' ? PANELS[topic] : undefined
  return Found ? (
    <ErrorBoundary>
      {/* Historical state is read-only. */}
      <fieldset class="panel" disabled={asOfIndex.value !== undefined}>
        <Found {...props} />
      </fieldset>
    </ErrorBoundary>
  ) : null
}

/** @param versions newest first; renders nothing for a single one */
const Compare = ({ versions }: { readonly versions: readonly Version[] }) => {
  const [older, setOlder] = useState<number>()
  const [newer, setNewer] = useState<number>()
  const before = versions.find(({ Index }) => Index === older) ?? versions[1]
  const after = versions.find(({ Index }) => Index === newer) ?? versions[0]
  if (!before || !after) return null
  const options = versions.map(
    ({ Index, Time }) =>
      [Index, Time ? `${Index}, ${new Date(Time).toLocaleString()}` : String(Index)] as const
  )
  return (
    <Section title="Two versions">
      <p class="choices">
        <Select
          label="Before"
          options={options}
          value={before.Index}
          change={index => setOlder(Number(index))}
        />
        <Select
          label="After"
          options={options}
          value={after.Index}
          change={index => setNewer(Number(index))}
        />
      </p>
      <SideBySide
        before={{ title: `as of ${before.Index}`, text: versionViewFor(before.Payload) }}
        after={{ title: `as of ${after.Index}`, text: versionViewFor(after.Payload) }}
      />
    </Section>
  )
}

/** Returns the displayed version, which is requested if it is not loaded. */
const useSeen = (named: Query, { versions, hasOlder }: Versions): Version | undefined => {
  const at = asOfIndex.value ?? Infinity
  const found = versions?.find(({ Index }) => Index <= at)
  const isOlder = versions !== undefined && !found && hasOlder
  const query = { ...named, payload: true, limit: 1, before: at + 1 }
  const { value } = useResponse<readonly Version[]>(isOlder ? '/v1/event/history' : undefined, query)
  return found ?? (isOlder ? value?.[0] : undefined)
}

interface NowProps {
  readonly seen: Version
  readonly before: Version | undefined
  readonly named: Query
}

const Now = ({ seen, before, named }: NowProps) => (
  <>
    {isDeletion(seen) && (
      <Notice tone="warn">
        Deleted in commit {seen.Index}. This is the last version.
        {before && <Revert named={named} to={before.Index} label={`Restore version ${before.Index}`} />}
      </Notice>
    )}
    {seen.Erased && <Notice>The content of this version was erased.</Notice>}
    {seen.Withheld && <Notice>This version is withheld: the token has no permission to read it.</Notice>}
    {seen.Payload && (
      <pre class="payload" tabIndex={0}>
        {versionViewFor(seen.Payload)}
      </pre>
    )}
  </>
)

const History = ({ named, history }: { readonly named: Query; readonly history: Versions }) => {
  const { versions = [], hasOlder, loadOlder } = history
  const isOriginHidden = versions.length > 0 && versions.every(({ By }) => !By)
  return (
    <>
      <h2>History</h2>
      {isOriginHidden && <p role="note">Author and time require operator:read.</p>}
      {versions.map((version, at) => (
        <VersionRow key={version.Index} version={version} named={named} isNewest={at === 0} />
      ))}
      {hasOlder && (
        <p>
          <button type="button" onClick={loadOlder}>
            Load older versions
          </button>
        </p>
      )}
      <Compare versions={versions.filter(({ Payload }) => Payload)} />
    </>
  )
}

export const ResourcePage = ({ kind }: { readonly kind: Kind }) => {
  const { key = '', ns = '', partition = '', node = '' } = useLocation().query
  const { turn } = useChanges(`${kind.topic}:${key}`)
  const named: Query = {
    topic: kind.topic,
    key,
    ns: ns || undefined,
    partition: partition || undefined,
    node: node || undefined
  }
  const history = useVersions(named, turn)
  const { versions = [], failure } = history
  const [newest] = versions
  const seen = useSeen(named, history)
  const place = seen ? versions.indexOf(seen) : -1
  const called = (seen ?? newest)?.Payload
  return (
    <main class="resource">
      <nav aria-label="Path">
        <a href={`/ui/${kind.path}`}>{kind.title}</a>
      </nav>
      <Heading>{(called && titleOf(kind, called)) || key}</Heading>
      <Refusal text={failure} />
      {seen && versions.length > 1 && place >= 0 && <VersionSlider versions={versions} seen={seen} />}
      {seen && <Now seen={seen} before={place < 0 ? undefined : versions[place + 1]} named={named} />}
      {newest && !seen && <p role="status">It did not exist yet.</p>}
      {seen?.Payload && !isDeletion(seen) && (
        <Panel key={`${kind.topic} ${key}`} newest={seen} named={named} turn={turn} />
      )}
      {newest && <History named={named} history={history} />}
    </main>
  )
}
