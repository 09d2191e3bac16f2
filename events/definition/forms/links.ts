import * as Type from 'typebox'
import { isObject } from '../../values.js'
import type { Link, LinkTarget } from '../types.js'
import { nameIn, type Form } from './form.js'

const LINK_INPUT = Type.Object(
  {
    ID: Type.Optional(Type.String({ description: 'ID of what is linked; when given it alone decides' })),
    Name: Type.Optional(
      Type.String({ description: 'Name of what is linked; its letter case does not matter' })
    )
  },
  { $id: 'LinkInput', additionalProperties: false }
)

const LINK = Type.Object({ ID: Type.String(), Name: Type.String() }, { $id: 'Link' })

/** Returns the links whose targets exist, with the names that these have now. */
export const currentLinks = (
  links: readonly Link[],
  nameOf: (id: string) => string | undefined
): readonly Link[] => {
  if (links.length === 0) return links
  const current: Link[] = []
  for (const { ID } of links) {
    const Name = nameOf(ID)
    if (Name !== undefined) current.push({ ID, Name })
  }
  return current
}

const NO_LINKS: readonly never[] = []

export const links = (to: LinkTarget): Form => ({
  empty: NO_LINKS,
  example: () => [{ ID: 'id', Name: 'name' }],
  schema: (options, view) => Type.Array(view === 'shown' ? LINK : LINK_INPUT, options),
  filter: () => ({ type: 'objects', fields: { ID: { type: 'string' }, Name: { type: 'string' } } }),
  show: (stored, names) =>
    Array.isArray(stored) ? currentLinks(stored, id => nameIn(names, to, id)) : stored,
  // By ID only, since the linked resource may have been renamed.
  writeBack: stored =>
    Array.isArray(stored) ? stored.map(link => (isObject(link) ? { ID: link['ID'] } : link)) : stored
})
