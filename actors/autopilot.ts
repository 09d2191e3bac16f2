import { isDeepStrictEqual } from 'node:util'
import {
  AUTOPILOT_KEY,
  AUTOPILOT_TOPIC,
  type AutopilotSettings,
  type AutopilotUpserted
} from '../events/cluster.js'
import { type Aggregate, type Command, createEvent } from './aggregate.js'
import { lifecycleOf } from './lifecycle.js'

/** `cas`: undefined writes always; otherwise it must equal the current ModifyIndex, which begins at 0. */
type SetAutopilot = Command<
  'SetAutopilot',
  { readonly settings: AutopilotSettings; readonly cas: number | undefined }
>

/** Returns no event when nothing changes or the check-and-set index differs. */
export const autopilotAggregate: Aggregate<SetAutopilot> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<AutopilotUpserted>({
    topic: AUTOPILOT_TOPIC,
    states: { default: { AutopilotUpserted: 'set' }, set: { AutopilotUpserted: 'set' } },
    stateOf: ({ autopilot }) => (autopilot.current.ModifyIndex === 0 ? 'default' : 'set')
  }),
  decide: ({ data: { settings, cas } }, { autopilot }, index) => {
    const { CreateIndex, ModifyIndex, ...before } = autopilot.current
    const isUnset = ModifyIndex === 0
    if (cas !== undefined && cas !== ModifyIndex) return []
    if (!isUnset && isDeepStrictEqual(before, settings)) return []
    const Autopilot = { ...settings, CreateIndex: isUnset ? index : CreateIndex, ModifyIndex: index }
    return [
      createEvent({
        Topic: AUTOPILOT_TOPIC,
        Type: 'AutopilotUpserted',
        Key: AUTOPILOT_KEY,
        Payload: { Autopilot }
      })
    ]
  }
}
