// A long list of the catalog: what it says of itself, and the rows that are in view.
import type { ComponentChildren } from 'preact'
import type { AllowedStream } from '../../live/use-stream.js'
import { List, type ListColumn } from '../../components/list.js'
import { Refusal } from '../../components/notice.js'
import { StreamNotice, type StreamNoticeTexts } from '../../components/stream-notice.js'

/** A column, and what stands in it. */
export interface CatalogListProps<T> extends ListColumn {
  readonly cell: (row: T) => ComponentChildren
  /** The whole of what is shown, where a cell may have no room for it. */
  readonly text?: (row: T) => string
}

interface Props<T> {
  /** What is listed, in singular and plural. */
  readonly what: StreamNoticeTexts
  readonly seen: AllowedStream
  readonly columns: readonly CatalogListProps<T>[]
  /** Of the rows, in their order. */
  readonly ids: readonly string[]
  readonly rowOf: (id: string) => T | undefined
  /** How many there are without what was searched for. */
  readonly all: number
}

/** All rows are here: none has to be fetched when it comes into view. */
const see = (): void => {}

export const CatalogList = <T,>({ what, seen, columns, ids, rowOf, all }: Props<T>) => {
  const { state, refusal } = seen
  const rowAt = (place: number) => {
    const id = ids[place]
    const row = id === undefined ? undefined : rowOf(id)
    return id === undefined || row === undefined ? undefined : { id, row }
  }
  return (
    <>
      {refusal !== undefined && <Refusal text={`${refusal}. What this token may see is listed.`} />}
      <StreamNotice state={state} count={ids.length} total={all} what={what} />
      <List
        label={what[1]}
        columns={columns}
        listed={{ count: ids.length, rowAt, see }}
        cell={({ row }, column) => columns[column]?.cell(row)}
        titleOf={({ row }, column) => columns[column]?.text?.(row) ?? ''}
      />
    </>
  )
}
