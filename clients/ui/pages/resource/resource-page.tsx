// The page of a resource: header, summary, history, permissions and raw data. Kinds declare what differs.
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Query } from '../../../typescript/connection.js'
import {
  Badge,
  Breadcrumbs,
  CopyButton,
  Denial,
  Facts,
  Heading,
  MissingPermission,
  Notice,
  Refusal,
  RelativeTime,
  Status,
  Tabs,
  Payload,
  useDenial
} from '../../design/index.js'
import { addressAsOf, asOfIndex } from '../../time-travel/as-of-state.js'
import { remember } from '../../session/session.js'
import { useResponse } from '../../session/use-response.js'
import {
  isDeletion,
  versionViewFor,
  type Version,
  readable,
  fieldsOf,
  titleOf,
  type Kind
} from '../../resources/kind.js'
import { History, Author, Verify } from './history.js'
import { PermissionsTab } from './permissions-tab.js'
import type { PanelProps, ResourceView } from './resource-view.js'
import { useView } from './use-view.js'
import { Restore } from './restore.js'
import { useVersions, type Versions } from './use-versions.js'

/** Returns the displayed version, which is requested if it is not loaded. */
const useSeen = (named: Query, { versions, hasOlder }: Versions): Version | undefined => {
  const at = asOfIndex.value ?? Infinity
  const found = versions?.find(({ Index }) => Index <= at)
  const isOlder = versions !== undefined && !found && hasOlder
  const query = { ...named, payload: true, limit: 1, before: at + 1 }
  const { value } = useResponse<readonly Version[]>(isOlder ? '/v1/event/history' : undefined, query)
  return found ?? (isOlder ? value?.[0] : undefined)
}

interface StateProps extends PanelProps {
  readonly versions: readonly Version[]
}

/** Where the displayed version stands: who changed it last, and whether it is deleted, erased or hidden. */
const VersionState = ({ newest: seen, named, versions }: StateProps) => {
  const place = versions.indexOf(seen)
  const before = place < 0 ? undefined : versions[place + 1]
  return (
    <>
      {isDeletion(seen) ? (
        <Notice tone="warn">
          Deleted in commit {seen.Index}
          {seen.By && ' '}
          <Author version={seen} />. This is the last version.
          {before && versions[0] && (
            <Restore
              named={named}
              to={before}
              current={versions[0]}
              label={`Restore version ${before.Index}`}
              isShown
            />
          )}
        </Notice>
      ) : (
        <p class="quiet last-change">
          {place > 0 && <Badge tone="warn">Version of commit {seen.Index}</Badge>} Last changed{' '}
          {seen.Time && <RelativeTime at={seen.Time} isShort />} <Author version={seen} />
        </p>
      )}
      {!seen.Withheld && !seen.Base && <Verify version={seen} named={named} />}
      {seen.Erased && <Notice>The content of this version was erased.</Notice>}
      {seen.Withheld && <Notice>This version is withheld: the token has no permission to read it.</Notice>}
    </>
  )
}

const Raw = ({ newest, named }: PanelProps) => {
  const text = versionViewFor(newest.Payload)
  return (
    <>
      <p class="choices">
        <span class="quiet">
          {named['topic']} {named['key']}, commit {newest.Index}
        </span>
        <CopyButton text={text} />
      </p>
      <Payload label="Raw resource" text={text} />
    </>
  )
}

interface BodyProps extends StateProps {
  readonly view: ResourceView | undefined
  readonly history: Versions
}

const Body = ({ view, history, ...panel }: BodyProps) => {
  const { newest: seen, fields, place, named } = panel
  const { Summary, summary, Permissions, Usage } = view ?? {}
  const isHere = seen.Payload !== undefined && !isDeletion(seen)
  const tabs = [
    {
      id: 'summary',
      title: 'Summary',
      content: () => (
        <>
          <VersionState {...panel} />
          {summary && <Facts facts={summary(fields, place)} />}
          {isDeletion(seen) && seen.Payload && <Payload label="Last version" text={readable(seen.Payload)} />}
          {/* Historical state is read-only. */}
          <fieldset class="panel" disabled={asOfIndex.value !== undefined}>
            {isHere && Summary && <Summary {...panel} />}
          </fieldset>
        </>
      )
    },
    { id: 'history', title: 'History', content: () => <History named={named} history={history} /> },
    {
      id: 'permissions',
      title: 'Permissions',
      content: () =>
        view &&
        (Permissions ? (
          <Permissions {...panel} />
        ) : (
          <PermissionsTab {...panel} target={view.permission(fields)} />
        ))
    },
    ...(Usage && isHere ? [{ id: 'usage', title: 'Usage', content: () => <Usage {...panel} /> }] : []),
    { id: 'raw', title: 'Raw', content: () => <Raw {...panel} /> }
  ] as const
  return <Tabs label="Resource" parameter="tab" tabs={tabs} />
}

export const ResourcePage = ({ kind }: { readonly kind: Kind }) => {
  const { url, query } = useLocation()
  const { key = '', ns = '', partition = '', node = '' } = query
  const named: Query = {
    topic: kind.topic,
    key,
    ns: ns || undefined,
    partition: partition || undefined,
    node: node || undefined
  }
  const view = useView(kind.topic)
  const history = useVersions(named)
  const { versions = [], failure } = history
  const [newest] = versions
  const seen = useSeen(named, history)
  const shown = (seen ?? newest)?.Payload
  const title = (shown && titleOf(kind, shown)) || key
  useEffect(() => {
    // Hits of a search may have the same address.
    if (shown) remember({ value: `${addressAsOf(url, undefined)}#recent`, label: title, hint: kind.one })
  }, [title, shown === undefined])
  const fields = fieldsOf(seen?.Payload ?? {})
  const place = { ns: ns || 'default', partition: partition || 'default' }
  const panel = seen && { newest: seen, fields, id: key, place, named, versions }
  const { Actions, status } = view ?? {}
  const isHere = seen?.Payload !== undefined && !isDeletion(seen)
  const own = useDenial(view && seen && { ...view.permission(fields), place })
  const { alternative } = view ?? {}
  const other = useDenial(
    own === undefined
      ? undefined
      : alternative && { ...alternative(fields), place: { ...place, ns: undefined } }
  )
  const denial = alternative && other === undefined ? undefined : own
  return (
    <Denial.Provider value={denial}>
      <main class="resource">
        <Breadcrumbs links={[[`/ui/${kind.path}`, kind.title]]} />
        <header>
          <Heading>{title}</Heading>
          {isHere && status?.(fields)}
          {ns !== '' && ns !== 'default' && <Badge tone="plain">namespace {ns}</Badge>}
          {seen && isDeletion(seen) && <Status of="deleted" />}
          {panel && isHere && Actions && (
            <span class="actions">
              <Actions {...panel} />
            </span>
          )}
        </header>
        <Refusal text={failure} />
        {newest && !seen && <p role="status">It did not exist yet.</p>}
        {panel && <MissingPermission />}
        {panel && <Body key={`${kind.topic} ${key}`} {...panel} view={view} history={history} />}
      </main>
    </Denial.Provider>
  )
}
