import type { UiSection } from '../../section.js'
import { keyKind, sessionKind } from '../../resources/kinds.js'
import { listSectionPage } from '../resource-list-page.js'
import { KeysPage } from './keys-page.js'
import { LocksPage } from './locks/locks-page.js'
import { SessionsPage } from './locks/sessions-page.js'

export const keys: UiSection = {
  title: 'Keys & locks',
  places: [
    listSectionPage(keyKind, KeysPage),
    { path: '/ui/locks', title: 'Locks', key: 'l', page: LocksPage, hasPast: true },
    listSectionPage(sessionKind, SessionsPage)
  ]
}
