// What runs where, and how it is.
import type { Area } from '../../area.js'
import { catalogKinds } from '../../things/kinds/catalog.js'
import { listPlace } from '../list-place.js'

export const catalog: Area = { title: 'Catalog', places: catalogKinds.map(listPlace) }
