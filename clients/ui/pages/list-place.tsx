// The place of a kind whose things are shown as a plain list.
import type { Place } from '../area.js'
import type { Kind } from '../things/kind.js'
import { ThingsPage } from './things.js'

export const listPlace = (kind: Kind): Place => ({
  path: `/ui/${kind.path}`,
  title: kind.title,
  key: kind.key,
  page: () => <ThingsPage key={kind.path} kind={kind} />,
  kind
})
