// What happens.
import type { UiSection } from '../../section.js'
import { EventsPage } from './events.js'

export const events: UiSection = {
  title: 'History',
  places: [{ path: '/ui/', title: 'Events', key: 'e', page: EventsPage }]
}
