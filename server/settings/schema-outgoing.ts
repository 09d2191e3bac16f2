// The configuration keys of where requests go that callers have the server make.
import { networks, section } from './values.js'

export const outgoingConfig = section({
  allow: networks(
    'Where requests may go that this server makes for callers: to the providers of auth methods, to webhooks and to witnesses. Networks that are set are the only ones.',
    {
      reloads: true,
      otherwise:
        'auth methods anywhere but link-local and metadata addresses, and to this machine only while `addresses.http` is a loopback address; webhooks and witnesses public addresses only'
    }
  ),
  checks: networks(
    'Where HTTP, TCP and gRPC health checks may connect to, redirects included. Networks that are set are the only ones.',
    {
      reloads: true,
      otherwise:
        'anywhere but link-local and metadata addresses: 169.254.0.0/16, fe80::/10, fd00:ec2::254 and 100.100.100.200'
    }
  )
})
