// Fields that several kinds have (spec: config.md §3).
import { list } from '../fields/containers.js'
import { always, filled, object } from '../fields/object.js'
import { flag, integer, text } from '../fields/scalars.js'

export const meshGateway = always(object({ Mode: filled(text) }), {})

export const transparentProxy = always(
  object({ OutboundListenerPort: filled(integer), DialedDirectly: filled(flag) }),
  {}
)

const exposePath = object({
  ListenerPort: filled(integer),
  Path: filled(text),
  LocalPathPort: filled(integer),
  Protocol: filled(text),
  ParsedFromCheck: filled(flag)
})

export const expose = always(object({ Checks: filled(flag), Paths: filled(list(exposePath, {})) }), {})
