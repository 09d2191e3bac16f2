// The page with the list of a kind. Pages declare what differs: filters and further columns.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  CreateLink,
  List,
  type ListColumn,
  RelativeTime,
  SearchHeader,
  Status as StatusBadge,
  StreamNotice
} from '../design/index.js'
import { type ResourceList, type ResourceListOptions, useResources } from '../live/use-resources.js'
import type { ResourceRow } from '../live/worker/protocol.js'
import { STATUSES, STATUS_TITLES, type Status } from '../resources/catalog/facts.js'
import { type ColumnHead, type Kind, NAMESPACE } from '../resources/kind.js'
import { ALL, useTenancy } from '../session/tenancy.js'
import { EXPIRES, LAST_USED, ACCESSOR } from '../resources/access-kinds.js'

/** The number of resources in a state. */
export const StatusCount = ({ status, count }: { readonly status: Status; readonly count: number }) => (
  <span class={count === 0 ? 'index' : `count ${status}`}>{count}</span>
)

/** Renders times relative to now, and states by colour. */
const cellOf = (title: string, text = '') => {
  if (text !== '' && (title === EXPIRES || title === LAST_USED)) return <RelativeTime at={text} isShort />
  if (title === 'Status') return <StatusBadge of={text} />
  const status = STATUSES.find(each => STATUS_TITLES[each] === title)
  if (status) return <StatusCount status={status} count={Number(text)} />
  return title === ACCESSOR ? text.slice(0, 8) : text
}

interface RowsProps {
  readonly kind: Pick<Kind, 'title' | 'one' | 'resource'> & Partial<Pick<Kind, 'about'>>
  readonly columns: readonly ColumnHead[]
  readonly resources: ResourceList
  /** Replace those of the same title; others follow at the end. */
  readonly cells?: readonly ListColumn<ResourceRow>[]
  /** The user cannot sort the rows. */
  readonly isOrdered?: boolean
}

/** The rows of a list, and their number. The namespace is a column where rows differ in it. */
export const ResourceRows = ({ kind, columns, resources, cells = [], isOrdered = false }: RowsProps) => {
  const { title, one, about, resource } = kind
  const { sorting, sortBy, isFixed, ...list } = resources
  const { ns } = useTenancy()
  const shown = columns
    .map((column, at) => ({
      ...column,
      text: ({ cells: texts }: ResourceRow) => texts[at] ?? '',
      cell: ({ cells: texts, links }: ResourceRow) =>
        links[at] === undefined ? cellOf(column.title, texts[at]) : <a href={links[at]}>{texts[at]}</a>
    }))
    .filter((_, at) => ns === ALL || columns[at] !== NAMESPACE)
  return (
    <>
      <StreamNotice
        {...list}
        what={[one, title.toLowerCase()]}
        about={about}
        permission={`${resource}:read`}
        more={isFixed ? 'Live updates require acl:write.' : ''}
      />
      <List
        label={title}
        columns={[
          ...shown.map(column => ({ ...column, ...cells.find(({ title: own }) => own === column.title) })),
          ...cells.filter(({ title: own }) => !columns.some(column => column.title === own))
        ]}
        listed={list}
        {...(isOrdered ? {} : { sorting, sortBy })}
      />
    </>
  )
}

export interface ListProps
  extends Pick<RowsProps, 'cells' | 'isOrdered'>, Pick<ResourceListOptions, 'scope' | 'only'> {
  readonly kind: Kind
  readonly class?: string
  /** The path of the kind when absent. */
  readonly listing?: string
  /** Those of the kind when absent. */
  readonly columns?: readonly ColumnHead[]
  /** An expression that restricts the list. */
  readonly filter?: string | undefined
  /** There is a page that creates a resource. */
  readonly hasNew?: boolean
  /** Replaces the link to it. */
  readonly create?: ComponentChildren
  /** Precedes the rows. */
  readonly controls?: (resources: ResourceList) => ComponentChildren
  /** In the header. */
  readonly children?: ComponentChildren
}

export const ResourceListPage = (props: ListProps) => {
  const { kind, columns = kind.columns, hasNew = false, controls, children } = props
  const { cells = [], isOrdered = false, scope = '', filter, only } = props
  const { path, title, one, resource } = kind
  const [search, setSearch] = useState('')
  const { ofStream } = useTenancy()
  const resources = useResources({
    listing: props.listing ?? path,
    search,
    scope,
    only,
    ...ofStream,
    ...(filter === undefined ? {} : { filter })
  })
  const create = hasNew && <CreateLink what={one} resource={resource} to={`/ui/${path}/new`} />
  return (
    <main class={props.class}>
      <SearchHeader title={title} search={setSearch} action={props.create ?? create}>
        {children}
      </SearchHeader>
      {controls?.(resources)}
      <ResourceRows {...{ kind, columns, resources, cells, isOrdered }} />
    </main>
  )
}
