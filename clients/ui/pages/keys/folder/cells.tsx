import type { Place } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import type { Version } from '../../../resources/versions.js'
import { Breadcrumbs, type ListColumn } from '../../../design/index.js'
import { SessionLink } from '../locks/use-locks.js'
import { folderAddress, keyAddress, type KeyRow } from '../entry.js'

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

export const columnsOf = (space: Place): readonly ListColumn<NameRow>[] => [
  {
    title: 'Name',
    width: 'minmax(0, 3fr)',
    cell: ({ id, label, isFolder }) => (
      <a
        href={isFolder ? folderAddress(space, id) : keyAddress(space, id)}
        class={isFolder ? 'folder' : undefined}
      >
        {label}
      </a>
    ),
    text: ({ id }) => id
  },
  {
    title: 'Value',
    width: 'minmax(0, 3fr)',
    cell: ({ key }) => key && <code>{key.preview}</code>,
    text: ({ key }) => key?.preview ?? ''
  },
  { title: 'Size', width: '5.5rem', cell: ({ key }) => key && `${key.size.toLocaleString('en')} B` },
  { title: 'Flags', width: '7rem', isWide: true, cell: ({ key }) => key?.flags !== '0' && key?.flags },
  {
    title: 'Held by',
    width: '8rem',
    isWide: true,
    cell: ({ key }) => key && key.session !== '' && <SessionLink id={key.session} space={space} />
  },
  {
    title: 'Modified',
    width: '13rem',
    isWide: true,
    cell: ({ id, key }) => key && <Modified name={id} space={space} index={key.index} />
  }
]

export const Crumbs = ({ space, path }: { readonly space: Place; readonly path: string }) => {
  const names = path.split('/').filter((name, at, all) => name !== '' || at < all.length - 1)
  const folders = names.map((name, at) => {
    const to = `${names.slice(0, at + 1).join('/')}/`
    return [to.length > path.length ? undefined : folderAddress(space, to), name] as const
  })
  return <Breadcrumbs links={[[folderAddress(space, ''), 'All keys'], ...folders]} />
}
