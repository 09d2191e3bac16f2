import type { Place } from '../../../session/tenancy.js'
import { Breadcrumbs, type ListColumn } from '../../../design/index.js'
import { SessionLink } from '../locks/session-link.js'
import { KeyTime } from '../key/lock-holder.js'
import { folderAddress, keyAddress, type KeyRow } from '../entry.js'

export interface NameRow {
  readonly id: string
  /** The displayed part of the name. */
  readonly label: string
  readonly isFolder: boolean
  /** Undefined for a folder, and until it is read. */
  readonly key: KeyRow | undefined
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
    cell: ({ id, key }) => key && <KeyTime name={id} space={space} index={key.index} />
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
