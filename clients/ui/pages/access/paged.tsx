// A list of ACL resources at the time of the request, for tokens without permission to follow it in the stream.
import { useMemo, useState } from 'preact/hooks'
import { Button, List, Refusal, StreamNotice } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { usePages } from '../../session/use-pages.js'
import { keyOf, type Fields, type Kind, resourcePage } from '../../resources/kind.js'
import { useColumns } from '../resource-list-page.js'

interface Props {
  readonly kind: Kind
  readonly search: string
  readonly narrowed: Readonly<Record<string, string>>
}

const addressOf = (path: string, fields: Fields): string => {
  const { Namespace } = fields
  return resourcePage(path, { key: keyOf(fields), ns: typeof Namespace === 'string' ? Namespace : undefined })
}

export const Paged = ({ kind, search, narrowed }: Props) => {
  const { path, title, one, about, columns } = kind
  const { query } = useTenancy()
  const { rows, isLoading, failure, more } = usePages<Fields>(`/v1/acl/${path}`, { ...query, ...narrowed })
  const [sorting, setSorting] = useState({ column: 0, isDescending: false })
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    const order = (cells: readonly string[]): string => (cells[sorting.column] ?? '').toLowerCase()
    const all = rows
      .map(fields => ({
        id: keyOf(fields),
        address: addressOf(path, fields),
        cells: columns.map(column => column.text(fields))
      }))
      .filter(({ cells }) => wanted === '' || cells.some(cell => cell.toLowerCase().includes(wanted)))
      .toSorted((a, b) => (order(a.cells) < order(b.cells) ? -1 : 1))
    return sorting.isDescending ? all.toReversed() : all
  }, [rows, columns, search, sorting, path])
  return (
    <>
      <Refusal text={failure} />
      {failure === undefined && (
        <StreamNotice
          state={isLoading ? 'loading' : 'ended'}
          count={found.length}
          total={rows.length}
          what={[one, title.toLowerCase()]}
          about={about}
          more="Live updates require acl:write."
        />
      )}
      {more && (
        <p>
          There are more. <Button label="Load more" act={more} />
        </p>
      )}
      <List
        label={title}
        columns={useColumns<(typeof found)[number]>(kind, ({ address }) => address)}
        listed={{ count: found.length, rowAt: place => found[place], see: () => {} }}
        sorting={sorting}
        sortBy={column =>
          setSorting(before => ({ column, isDescending: before.column === column && !before.isDescending }))
        }
      />
    </>
  )
}
