// Keys and what is kept beside them.
import type { UiSection } from '../../section.js'
import { keyKind, queryKind, sessionKind } from '../../resources/kinds.js'
import { listSectionPage } from '../list-section-page.js'
import { QueriesPage } from '../queries/queries-page.js'
import { KeysPage } from './keys-page.js'
import { LocksPage } from './locks/locks-page.js'
import { SessionsPage } from './locks/sessions-page.js'

export const keys: UiSection = {
  title: 'Keys',
  places: [
    { ...listSectionPage(keyKind), page: KeysPage },
    { path: '/ui/locks', title: 'Locks', key: 'l', page: LocksPage, hasPast: true },
    { ...listSectionPage(sessionKind), page: SessionsPage },
    { ...listSectionPage(queryKind), page: QueriesPage }
  ]
}
