// The navigation by sections; on a phone a button opens it as a menu.
import type { Schemas } from '../../typescript/typed/index.js'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useState } from 'preact/hooks'
import { Select, Badge, Button, Icon, Refusal } from '../design/index.js'
import { EVERYWHERE, useTurn, usePermission, useResponse, useAction } from '../session/use-response.js'
import { ALL, selectTenancy, storeTenancy, useTenancy, withTenancy } from '../session/tenancy.js'
import { CircleHelp, type IconNode, LogOut } from 'lucide'
import { type SectionPage, type UiSection, sections } from '../sections.js'
import { StartTimeTravel } from '../time-travel/as-of.js'
import { showKeys } from './dialogs.js'
import { logOutToken } from '../session/provider-sign-in.js'
import { isSignedIn, signOut } from '../session/session.js'
import { useRefreshTimer } from '../live/use-refresh-timer.js'
import { resourcePage } from '../resources/kind.js'

// The selection of the displayed namespace and partition. The options are loaded when a list receives the focus.

/** The maximum number of options. The page of namespaces lists all. */
const MAX_OPTIONS = 200
const DEFAULT = 'default'

type Named = Schemas['NamespaceEntry']

/** Returns the options, including the selected name. */
const optionsOf = (label: string, found: readonly Named[] | undefined, value: string) => {
  const names = (found ?? []).map(({ Name }) => Name)
  const all = value === ALL || names.includes(value) ? names : [value, ...names]
  return [
    [ALL, `All ${label.toLowerCase()}s`],
    ...all.map(name => [name, `${label} ${name}`] as const)
  ] as const
}

const Switch = () => {
  const { url, path, query, route } = useLocation()
  const { ns, partition = DEFAULT, query: tenancyQuery } = useTenancy()
  const [turn, load] = useTurn()
  const namespaces = useResponse<readonly Named[]>(
    '/v1/namespaces',
    { partition: tenancyQuery['partition'], limit: MAX_OPTIONS },
    turn
  )
  // Without permission, the request would be recorded as a denied attempt.
  const mayDivide = usePermission('read', 'operator', EVERYWHERE)
  const partitions = useResponse<readonly Named[]>(mayDivide ? '/v1/partitions' : undefined, {}, turn)
  useEffect(() => {
    const to = storeTenancy(url, path, query)
    if (to !== url) route(to, true)
  }, [url])
  const isDivided = partition !== DEFAULT || (partitions.value?.length ?? 0) > 1
  const hasNamespaces = ![ALL, DEFAULT].includes(ns) || (namespaces.value?.length ?? 0) > 1
  if (!isDivided && !hasNamespaces) return null
  return (
    <div class="tenancy" role="group" aria-label="Tenancy">
      {isDivided && (
        <Select
          isLabelHidden
          label="Partition"
          options={optionsOf('Partition', partitions.value, partition)}
          value={partition}
          change={name => route(selectTenancy(url, { partition: name, ns: ALL }), true)}
          onFocus={load}
        />
      )}
      <Select
        isLabelHidden
        label="Namespace"
        options={optionsOf('Namespace', namespaces.value, ns)}
        value={ns}
        change={name => route(selectTenancy(url, { ns: name }), true)}
        onFocus={load}
      >
        {namespaces.value?.length === MAX_OPTIONS && (
          <option disabled>All namespaces are under Operations</option>
        )}
      </Select>
    </div>
  )
}

/** Renders nothing on the sign-in page. */
const TenancySwitch = () => (useLocation().path === '/ui/sign-in' ? null : <Switch />)

const SignedIn = () => {
  const { value, failure } = useResponse<Schemas['Token']>('/v1/acl/token/self')
  const { failure: logoutFailure, run } = useAction()
  const { AccessorID = '', Description = '', ExpirationTime, AuthMethod } = value ?? {}
  return (
    <>
      <Refusal text={failure ?? logoutFailure} />
      {failure === undefined && (
        <p class="whose">
          {value && (
            <a
              href={resourcePage('tokens', { key: AccessorID })}
              title={Description ? `${Description} (${AccessorID})` : AccessorID}
            >
              {Description || AccessorID.slice(0, 8)}
            </a>
          )}
          {AuthMethod && <span class="index">by {AuthMethod}</span>}
          {ExpirationTime && (
            <span class="index">
              until <time dateTime={ExpirationTime}>{new Date(ExpirationTime).toLocaleString()}</time>
            </span>
          )}
        </p>
      )}
      <Button
        label="Sign out"
        icon={LogOut}
        act={() => (AuthMethod ? run(logOutToken) : signOut())}
        title={AuthMethod ? 'Deletes the token of this login' : 'Forgets the token in this tab'}
      />
    </>
  )
}

const CurrentToken = () => (isSignedIn.value ? <SignedIn /> : <a href="/ui/sign-in">Sign in</a>)

/** Matches the page itself and the pages below it. */
const isAt = (path: string, { path: place, further = [] }: SectionPage): boolean => {
  const base = place.replace(/\/$/, '')
  return [base, `${base}/`, `${base}/one`, ...further.map(page => page.path)].includes(path)
}

const skip = (event: Event): void => {
  event.preventDefault()
  document.querySelector('h1')?.focus()
}

/** Between two counts. */
const COUNT_MS = 15_000

/** The number of resources that need attention. Renders nothing for none. */
const Count = ({ of, what }: NonNullable<SectionPage['count']>) => {
  const [turn] = useRefreshTimer(COUNT_MS)
  const { value } = useResponse<readonly unknown[]>(of, { ns: '*' }, turn)
  if (!value || value.length === 0) return null
  return (
    <span class="end" title={`${value.length} ${what}`}>
      <Badge tone="bad">{value.length}</Badge>
    </span>
  )
}

interface LinksProps {
  readonly places: readonly SectionPage[]
  readonly path: string
  readonly icon?: IconNode
}

const Links = ({ places, path, icon }: LinksProps) => (
  <>
    {places.map(place => (
      <a
        href={withTenancy(place.path)}
        aria-current={isAt(path, place) ? 'page' : undefined}
        title={`g ${place.key}`}
        key={place.path}
      >
        {icon && <Icon of={icon} />}
        {place.title}
        {place.count && <Count {...place.count} />}
      </a>
    ))}
  </>
)

/** A collapsed group shows only the current page. */
const Group = ({
  section: { title, icon, places },
  path
}: {
  readonly section: UiSection
  readonly path: string
}) => {
  const isHere = places.some(place => isAt(path, place))
  const [isOpen, setIsOpen] = useState(isHere)
  useEffect(() => {
    if (isHere) setIsOpen(true)
  }, [isHere])
  const id = useId()
  const shown = isOpen ? places : places.filter(place => isAt(path, place))
  return (
    <div role="group" aria-label={title}>
      <Button
        label={title}
        icon={icon}
        act={() => setIsOpen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={id}
      />
      <div id={id}>
        <Links places={shown} path={path} />
      </div>
    </div>
  )
}

export const Navigation = () => {
  const { path, query } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path, query['at']])
  const close = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') setIsOpen(false)
  }
  return (
    <div class={isOpen ? 'places open' : 'places'} onKeyDown={close}>
      <header class="brand">
        <a class="skip" href="#page" onClick={skip}>
          Skip to the page
        </a>
        <strong>Annals</strong>
        <Button
          label="Keyboard shortcuts"
          icon={CircleHelp}
          isIcon
          act={showKeys}
          title="Keyboard shortcuts ( ? )"
        />
        <Button
          label="Menu"
          act={() => setIsOpen(!isOpen)}
          class="menu"
          aria-expanded={isOpen}
          aria-controls="places"
        />
      </header>
      <nav id="places" aria-label="Pages">
        <StartTimeTravel />
        <TenancySwitch />
        <div class="areas">
          {sections.map(section =>
            section.places.length === 1 ? (
              <Links key={section.title} places={section.places} path={path} icon={section.icon} />
            ) : (
              <Group key={section.title} section={section} path={path} />
            )
          )}
        </div>
        <div class="who">
          <CurrentToken />
        </div>
      </nav>
    </div>
  )
}
