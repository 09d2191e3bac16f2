// The part of a stream that a token without permission for the whole topics may read: each permitted event.
import type { EventsOptions } from '../../typescript/events.js'

/** Undefined if there is no such part: ACL topics need one permission for all, and `any` is narrowed already. */
export const narrowToVisible = (options: EventsOptions): EventsOptions | undefined => {
  const { topics = [], filter } = options
  const parsed = topics.map(topic => topic.split(':'))
  if (parsed.some(([name = '']) => name === 'any' || name.startsWith('ACL'))) return undefined
  const names = [...new Set(parsed.map(([name = '']) => name))]
  const keys = [...new Set(topics.map(topic => /:(.*)/s.exec(topic)?.[1] ?? ''))]
  const isOfTopic = names.map(name => `Topic == ${JSON.stringify(name)}`).join(' or ')
  return {
    ...options,
    topics: keys.map(key => (key === '' ? 'any' : `any:${key}`)),
    filter: filter === undefined ? isOfTopic : `(${isOfTopic}) and (${filter})`
  }
}
