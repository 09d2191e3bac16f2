// Keys as a tree: what stands directly below a folder, which is a beginning of keys that ends with `/`.
import type { StreamedEvent } from '../../../client/stream-line.js'
import { identityOf } from './fold.js'
import { type Fields, type Kind } from './kind.js'
import { stateOf, type Listing } from './listing.js'

/** A row of a tree: a thing, or a folder. */
export interface TreeRow {
  /** With the folders that it is in, and `/` at its end; empty for a thing. */
  folder: string
  /** How many things are in the folder, and in the folders in it. */
  count: number
  fields: Fields
}

/** The folder directly below another that a thing is in; empty when it is in none of them. */
const folderOf = (key: string, under: string): string => {
  const end = key.indexOf('/', under.length)
  // A key may itself end with `/`: it is listed in the folder of its name.
  return end < 0 ? '' : key.slice(0, end + 1)
}

const FOLDER = 'folder '

/** Things of a kind by their folders; `scope` is a folder, and `*` for all things without folders. */
export const tree = ({ topic, columns }: Pick<Kind, 'topic' | 'columns'>): Listing<TreeRow> => ({
  topics: [topic],
  columns: columns.map(({ title, text }, at) => ({
    title,
    text: ({ folder, count, fields }: TreeRow) => {
      if (folder === '') return text(fields)
      if (at === 0) return folder
      return at === 1 ? `${count} in it` : ''
    }
  })),
  groups: {
    initial: { folder: '', count: 0, fields: {} },
    rowOf: (thing: StreamedEvent, scope: string) => {
      if (scope === '*') return identityOf(thing)
      if (!thing.Key.startsWith(scope)) return undefined
      const folder = folderOf(thing.Key, scope)
      return folder === '' ? identityOf(thing) : FOLDER + folder
    },
    fold: (row, before, now, id) => {
      if (id.startsWith(FOLDER)) row.folder = id.slice(FOLDER.length)
      else if (now) row.fields = stateOf(now)
      row.count += (now ? 1 : 0) - (before ? 1 : 0)
    }
  }
})
