// Who may do what.
import type { FunctionComponent } from 'preact'
import { lazy } from 'preact-iso'
import type { UiSection, SectionPage } from '../../section.js'
import { accessKinds } from '../../resources/kinds.js'
import { listSectionPage } from '../list-section-page.js'
import { useMemo, useState } from 'preact/hooks'
import { useResources } from '../../live/use-resources.js'
import { List } from '../../components/list.js'
import { SearchHeader } from '../../components/search-header.js'
import { StreamNotice } from '../../components/stream-notice.js'
import { tenancyQueryOf, useTenancy } from '../../session/tenancy.js'
import { usePermission } from '../../session/use-response.js'
import { addressOf, type Kind } from '../../resources/kind.js'
import { Cell } from './cell.js'
import { LastUses, timeBefore } from './last-uses.js'
import { Paged } from './paged.js'

/** The list of tokens, policies, roles, auth methods or binding rules, with a way to make one. */
interface Props {
  readonly kind: Kind
}

const AccessList = ({ kind }: Props) => {
  const { title, one, columns, path, facts } = kind
  const [search, setSearch] = useState('')
  const [age, setAge] = useState('')
  const scope = useMemo(() => timeBefore(age, Date.now()), [age])
  const { ofStream, query } = useTenancy()
  const resources = useResources({ listing: path, search, scope, ...ofStream })
  const { state } = resources
  const mayRead = usePermission('read', 'acl', tenancyQueryOf(query))
  // The stream of the ACL system is for who manages it; the lists are for all who may read it.
  const isPaged = mayRead === true && typeof state === 'object' && 'refused' in state && state.status === 403
  return (
    <main>
      <SearchHeader title={title} search={setSearch}>
        <a class="button" href={`/ui/${path}/new`}>
          New {one}
        </a>
      </SearchHeader>
      {facts !== undefined && <LastUses age={age} choose={setAge} resources={resources} />}
      {isPaged ? (
        <Paged kind={kind} search={search} narrowed={age === '' ? {} : { 'unused-since': age }} />
      ) : (
        <>
          <StreamNotice
            state={state}
            count={resources.count}
            total={resources.total}
            what={[one, title.toLowerCase()]}
          />
          <List
            label={title}
            columns={columns}
            listed={resources}
            sorting={resources.sorting}
            sortBy={resources.sortBy}
            titleOf={({ cells }, column) => cells[column] ?? ''}
            cell={(row, column) => (
              <Cell
                title={columns[column]?.title ?? ''}
                text={row.cells[column] ?? ''}
                {...(column === 0 ? { address: addressOf(kind, row.event) } : {})}
              />
            )}
          />
        </>
      )}
    </main>
  )
}

const ExplainPage = lazy(async () => (await import('./explain.js')).ExplainPage)
const NewTokenPage = lazy(async () => (await import('./new-pages.js')).NewTokenPage)
const NewPolicyPage = lazy(async () => (await import('./new-pages.js')).NewPolicyPage)
const NewRolePage = lazy(async () => (await import('./new-pages.js')).NewRolePage)
const NewAuthMethodPage = lazy(async () => (await import('./new-pages.js')).NewAuthMethodPage)
const NewBindingRulePage = lazy(async () => (await import('./new-pages.js')).NewBindingRulePage)

/** Where one of a kind is made, by the path of the kind. */
const MAKERS: Readonly<Record<string, FunctionComponent>> = {
  tokens: NewTokenPage,
  policies: NewPolicyPage,
  roles: NewRolePage,
  'auth-methods': NewAuthMethodPage,
  'binding-rules': NewBindingRulePage
}

const places: readonly SectionPage[] = accessKinds.map(kind => {
  const page = MAKERS[kind.path]
  return {
    ...listSectionPage(kind),
    page: () => <AccessList key={kind.path} kind={kind} />,
    ...(page ? { further: [{ path: `/ui/${kind.path}/new`, page }] } : {})
  }
})

export const access: UiSection = {
  title: 'Access',
  places: [...places, { path: '/ui/explain', title: 'Explain a denial', key: 'd', page: ExplainPage }]
}
