import type { Place } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import type { Version } from '../../../resources/versions.js'
import { Breadcrumbs, type ListColumn } from '../../../design/index.js'
import { SessionLink } from '../locks/use-locks.js'
import { folderAddress, keyAddress, type KeyRow } from '../entry.js'

export const COLUMNS: readonly ListColumn[] = [
  { title: 'Name', width: 'minmax(0, 3fr)' },
  { title: 'Value', width: 'minmax(0, 3fr)' },
  { title: 'Size', width: '5.5rem' },
  { title: 'Flags', width: '7rem', isWide: true },
  { title: 'Held by', width: '8rem', isWide: true },
  { title: 'Modified', width: '13rem', isWide: true }
]

export interface NameRow {
  readonly id: string
  /** The displayed part of the name. */
  readonly label: string
  readonly isFolder: boolean
  /** Undefined for a folder, and until it is read. */
  readonly key: KeyRow | undefined
}

interface ModifiedProps {
  readonly name: string
  readonly space: Place
  readonly index: number
}

/** The time of the last change of a key, from its history. */
const Modified = ({ name, space, index }: ModifiedProps) => {
  const query = { topic: 'KV', key: name, ...space, limit: 1 }
  const { value } = useResponse<readonly Version[]>('/v1/event/history', query, index)
  const time = value?.[0]?.Time
  return time === undefined ? null : (
    <time dateTime={time} title={`commit ${index}`}>
      {new Date(time).toLocaleString()}
    </time>
  )
}

export const cellOf = (space: Place, { id, label, isFolder, key }: NameRow, column: number) => {
  if (column === 0)
    return (
      <a
        href={isFolder ? folderAddress(space, id) : keyAddress(space, id)}
        class={isFolder ? 'folder' : undefined}
      >
        {label}
      </a>
    )
  if (!key) return null
  switch (column) {
    case 1:
      return <code>{key.preview}</code>
    case 2:
      return `${key.size.toLocaleString('en')} B`
    case 3:
      return key.flags === '0' ? '' : key.flags
    case 4:
      return key.session === '' ? null : <SessionLink id={key.session} space={space} />
    default:
      return <Modified name={id} space={space} index={key.index} />
  }
}

/** The tooltip of a cell that may be truncated. */
export const titleOf = ({ id, key }: NameRow, column: number): string => {
  if (column === 0) return id
  return column === 1 ? (key?.preview ?? '') : ''
}

export const Crumbs = ({ space, path }: { readonly space: Place; readonly path: string }) => {
  const names = path.split('/').filter((name, at, all) => name !== '' || at < all.length - 1)
  const folders = names.map((name, at) => {
    const to = `${names.slice(0, at + 1).join('/')}/`
    return [to.length > path.length ? undefined : folderAddress(space, to), name] as const
  })
  return <Breadcrumbs links={[[folderAddress(space, ''), 'All keys'], ...folders]} />
}
