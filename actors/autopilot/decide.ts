// Decides the commands on the settings by which the servers of the cluster are looked after.
import { isDeepStrictEqual } from 'node:util'
import { AUTOPILOT_KEY, AUTOPILOT_TOPIC, type AutopilotUpserted } from '../../events/autopilot.js'
import type { Views } from '../../projections/views.js'
import { makeEvent } from '../make-event.js'
import type { AutopilotCommand } from './commands.js'

/** No event when nothing would change or the check-and-set does not hold. */
export const decideAutopilot = (
  { data: { settings, cas } }: AutopilotCommand,
  { autopilot }: Pick<Views, 'autopilot'>,
  index: number
): readonly AutopilotUpserted[] => {
  const { CreateIndex, ModifyIndex, ...before } = autopilot.current
  const isUnset = ModifyIndex === 0
  if (cas !== undefined && cas !== ModifyIndex) return []
  if (!isUnset && isDeepStrictEqual(before, settings)) return []
  return [
    makeEvent({
      Topic: AUTOPILOT_TOPIC,
      Type: 'AutopilotUpserted',
      Key: AUTOPILOT_KEY,
      Payload: {
        Autopilot: { ...settings, CreateIndex: isUnset ? index : CreateIndex, ModifyIndex: index }
      }
    })
  ]
}
