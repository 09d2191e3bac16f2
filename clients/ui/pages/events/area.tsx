// What happens.
import type { Area } from '../../area.js'
import { EventsPage } from './events.js'

export const events: Area = {
  title: 'History',
  places: [{ path: '/ui/', title: 'Events', key: 'e', page: EventsPage }]
}
