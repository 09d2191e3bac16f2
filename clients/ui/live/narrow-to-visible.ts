// What a token may see of topics of which it may not see all: their events one by one, as its rights let them through.
import type { EventsOptions } from '../../typescript/events.js'

/** Undefined where nothing less can be read: of the ACL system it is all or nothing, and what is narrow already cannot be narrower. */
export const narrowToVisible = (options: EventsOptions): EventsOptions | undefined => {
  const { topics = [], filter } = options
  const asked = topics.map(topic => topic.split(':'))
  if (asked.some(([name = '']) => name === 'any' || name.startsWith('ACL'))) return undefined
  const names = [...new Set(asked.map(([name = '']) => name))]
  const keys = [...new Set(topics.map(topic => /:(.*)/s.exec(topic)?.[1] ?? ''))]
  const isOfTopic = names.map(name => `Topic == ${JSON.stringify(name)}`).join(' or ')
  return {
    ...options,
    topics: keys.map(key => (key === '' ? 'any' : `any:${key}`)),
    filter: filter === undefined ? isOfTopic : `(${isOfTopic}) and (${filter})`
  }
}
