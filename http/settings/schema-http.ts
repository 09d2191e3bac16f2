// The configuration keys of how HTTP takes its clients.
import { networks, section } from './values.js'

export const httpConfig = section({
  trusted_proxies: networks(
    'Proxies whose X-Forwarded-For is believed: the client is the last address in it that is none of them.'
  )
})
