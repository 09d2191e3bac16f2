// Who may do what.
import { lazy } from 'preact-iso'
import type { Area } from '../../area.js'
import { accessKinds } from '../../things/kinds/access.js'
import { listPlace } from '../list-place.js'

const ExplainPage = lazy(async () => (await import('./explain.js')).ExplainPage)

export const access: Area = {
  title: 'Access',
  places: [
    ...accessKinds.map(listPlace),
    { path: '/ui/explain', title: 'Explain a denial', key: 'd', page: ExplainPage }
  ]
}
