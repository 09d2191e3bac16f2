// Keys and what is kept beside them.
import type { Area } from '../../area.js'
import { keyKind, queryKind, sessionKind } from '../../things/kinds/keys.js'
import { listPlace } from '../list-place.js'
import { QueriesPage } from '../queries/queries-page.js'
import { KeysPage } from './keys-page.js'
import { LocksPage } from './locks/locks-page.js'
import { SessionsPage } from './locks/sessions-page.js'

export const keys: Area = {
  title: 'Keys',
  places: [
    { ...listPlace(keyKind), page: KeysPage },
    { path: '/ui/locks', title: 'Locks', key: 'l', page: LocksPage, hasPast: true },
    { ...listPlace(sessionKind), page: SessionsPage },
    { ...listPlace(queryKind), page: QueriesPage }
  ]
}
