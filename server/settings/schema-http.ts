// The configuration keys of how HTTP takes its clients.
import { networks, section, texts } from './values.js'

export const httpConfig = section({
  trusted_proxies: networks(
    'Proxies whose X-Forwarded-For is believed: the client is the last address in it that is none of them.'
  ),
  allowed_hosts: texts(
    'Further names by which requests may call a server that listens on a loopback address, beside addresses, `localhost`, the names of machine and node, `host.docker.internal` and what is under `domain`. Any other Host is 421, since a web page could have bent its own name to this machine. `["*"]` allows all.',
    {
      pattern: '^(\\*|[A-Za-z0-9._-]+)$',
      rule: 'be a list of host names without ports, or ["*"]',
      reloads: true
    }
  ),
  allowed_origins: texts(
    'Origins whose web pages may read, write and open WebSockets, such as `https://ui.example`; `["*"]` allows all. Writes and WebSockets of other pages than those of this server are 403.',
    {
      pattern: '^(\\*|https?://[^\\s/?#@]+)$',
      rule: 'be a list of origins, such as ["https://ui.example:8443"], or ["*"]',
      reloads: true
    }
  )
})
