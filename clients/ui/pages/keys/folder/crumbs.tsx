// Where a folder is: each of those that it is in leads there.
import { folderAddress, type KeySpace } from '../entry.js'

interface Props {
  readonly space: KeySpace
  /** Path of a folder, or of a key. */
  readonly path: string
}

export const Crumbs = ({ space, path }: Props) => {
  const names = path.split('/').filter((name, at, all) => name !== '' || at < all.length - 1)
  return (
    <nav aria-label="Path" class="crumbs">
      <a href={folderAddress(space, '')}>All keys</a>
      {names.map((name, at) => {
        const to = `${names.slice(0, at + 1).join('/')}/`
        return (
          <span key={to}>
            {' / '}
            {to.length > path.length ? name : <a href={folderAddress(space, to)}>{name}</a>}
          </span>
        )
      })}
    </nav>
  )
}
