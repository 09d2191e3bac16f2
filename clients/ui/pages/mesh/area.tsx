// How services reach each other.
import type { Area } from '../../area.js'
import { config } from '../../things/kinds/mesh.js'
import { ConfigPage } from './config.js'
import { IntentionsPage } from './intentions.js'
import { NewEntryPage } from './new-entry.js'

export const mesh: Area = {
  title: 'Mesh',
  places: [
    { path: '/ui/intentions', title: 'Intentions', key: 'i', page: IntentionsPage, hasPast: true },
    {
      path: `/ui/${config.path}`,
      title: config.title,
      key: config.key,
      page: ConfigPage,
      kind: config,
      further: [{ path: '/ui/config/new', page: NewEntryPage }]
    }
  ]
}
