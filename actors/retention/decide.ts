// Decides the commands on the log itself.
import type { Event } from '../../events/envelope.js'
import { LOG_KEY, LOG_TOPIC } from '../../events/retention.js'
import type { Views } from '../../projections/views.js'
import { makeEvent } from '../make-event.js'
import { Refusal } from '../refusal.js'
import type { RetainLog } from './commands.js'

/** What is gone does not come back: the index only grows. */
export const decideRetention = ({ data }: RetainLog, views: Views, index: number): readonly Event[] => {
  const before = views.retainedLog.retention?.Index ?? 0
  if (data.Index <= before) return []
  if (data.Index >= index) throw new Refusal('invalid', `Invalid Index: the log ends at commit ${index - 1}`)
  return [
    makeEvent({ Topic: LOG_TOPIC, Type: 'LogRetained', Key: LOG_KEY, Payload: { Retention: { ...data } } })
  ]
}
