// Keys and what is kept beside them.
import type { Area } from '../../area.js'
import { keysKinds } from '../../things/kinds/keys.js'
import { listPlace } from '../list-place.js'

export const keys: Area = { title: 'Keys', places: keysKinds.map(listPlace) }
