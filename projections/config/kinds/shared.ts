// Fields that several kinds have (spec: config.md §3).
import { list } from '../fields/containers.js'
import { always, storedIfFilled, object } from '../fields/object.js'
import { flag, integer, text } from '../fields/scalars.js'

export const meshGateway = always(object({ Mode: storedIfFilled(text) }), {})

export const transparentProxy = always(
  object({ OutboundListenerPort: storedIfFilled(integer), DialedDirectly: storedIfFilled(flag) }),
  {}
)

const exposePath = object({
  ListenerPort: storedIfFilled(integer),
  Path: storedIfFilled(text),
  LocalPathPort: storedIfFilled(integer),
  Protocol: storedIfFilled(text),
  ParsedFromCheck: storedIfFilled(flag)
})

export const expose = always(
  object({ Checks: storedIfFilled(flag), Paths: storedIfFilled(list(exposePath, {})) }),
  {}
)
