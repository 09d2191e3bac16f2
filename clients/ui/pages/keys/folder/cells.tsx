import type { Place } from '../../../session/tenancy.js'
import { Breadcrumbs, type ListColumn, RelativeTime } from '../../../design/index.js'
import { SessionLink } from '../key/lock-holder.js'
import { folderAddress, keyAddress, valueOf } from '../entry.js'
import { type Version, type Fields, fieldsOf, textOf } from '../../../resources/kind.js'
import { asOfIndex } from '../../../time-travel/as-of-state.js'
import { useResponse } from '../../../session/use-response.js'
import { previewOf } from '../values/content-types.js'

export interface NameRow {
  readonly id: string
  /** The displayed part of the name. */
  readonly label: string
  readonly isFolder: boolean
  /** Index of the latest event. */
  readonly index: number
  /** The newest version. Undefined for a folder, and until it is read. */
  readonly version?: Version | undefined
  readonly fields: Fields
}

/** Reads a key when it becomes visible, and again after an event. */
export const useKey = (space: Place, row: NameRow): NameRow => {
  const { id: key, isFolder, index } = row
  const before = asOfIndex.value === undefined ? undefined : asOfIndex.value + 1
  const query = { topic: 'KV', key, ...space, payload: true, limit: 1, before }
  const path = isFolder ? undefined : '/v1/event/history'
  const [version] = useResponse<readonly Version[]>(path, query, index).value ?? []
  return { ...row, version, fields: fieldsOf(version?.Payload ?? {}) }
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
    cell: ({ version, fields }) => version && <code>{previewOf(valueOf(fields))}</code>,
    text: ({ fields }) => previewOf(valueOf(fields))
  },
  {
    title: 'Size',
    width: '5.5rem',
    isWide: true,
    cell: ({ version, fields }) => version && `${valueOf(fields).length.toLocaleString('en')} B`
  },
  {
    title: 'Flags',
    width: '7rem',
    isWide: true,
    cell: ({ fields }) => textOf(fields['Flags']).replace(/^0$/, '')
  },
  {
    title: 'Held by',
    width: '8rem',
    isWide: true,
    cell: ({ fields: { Session } }) =>
      textOf(Session) !== '' && <SessionLink id={textOf(Session)} space={space} />
  },
  {
    title: 'Modified',
    width: '9rem',
    isWide: true,
    cell: ({ version }) => version?.Time && <RelativeTime at={version.Time} isShort />
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
