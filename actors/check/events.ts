// Makes the events of health checks.
import { CHECK_TOPIC, checkPayload, type CheckEvent, type CheckState } from '../../events/check.js'
import { makeEvent } from '../make-event.js'

/** Checks of nodes have no namespace; values of Authorization headers travel apart. */
export const checkEvent = (type: CheckEvent['Type'], state: CheckState): CheckEvent => {
  const { Node, CheckID, ServiceID, ServiceName } = state.check
  const { payload, secrets } = checkPayload(state)
  return {
    ...makeEvent({
      Topic: CHECK_TOPIC,
      Type: type,
      Key: CheckID,
      tenancy: state,
      FilterKeys: [...new Set([Node, ServiceID, ServiceName].filter(key => key !== ''))],
      Payload: { Check: payload },
      ...(Object.keys(secrets).length > 0 ? { Secrets: secrets } : {})
    }),
    Namespace: ServiceID === '' ? '' : state.namespace
  }
}
