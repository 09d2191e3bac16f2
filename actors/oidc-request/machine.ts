// The life of a pending OIDC request: it is opened once and closed once.
import { setup } from 'xstate'
import { isOidcRequestEvent, OIDC_REQUEST_TOPIC, type OidcRequestEvent } from '../../events/oidc-request.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: OidcRequestEvent['Type']
  readonly event: OidcRequestEvent
}

const oidcRequestMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: OIDC_REQUEST_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { OIDCRequestOpened: 'pending' } },
    pending: { on: { OIDCRequestClosed: 'absent' } }
  }
})

export const oidcRequestLife: Life = {
  topic: OIDC_REQUEST_TOPIC,
  machine: oidcRequestMachine,
  stateOf: (views, event) =>
    isOidcRequestEvent(event) && views.oidcRequests.get(event.Key) ? 'pending' : 'absent'
}
