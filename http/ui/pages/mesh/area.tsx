// How services reach each other.
import type { Area } from '../../area.js'
import { meshKinds } from '../../things/kinds/mesh.js'
import { listPlace } from '../list-place.js'

export const mesh: Area = { title: 'Mesh', places: meshKinds.map(listPlace) }
