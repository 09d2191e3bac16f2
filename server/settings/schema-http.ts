import { choice, networks, optionalText, section, text, texts, toggle } from './values.js'

export const ADDRESS = '^[A-Za-z0-9._:%-]+$'
export const addressRule = 'be an IP address or host name'
/** An address, the path of a Unix socket, or both with a space between them. */
const HTTP_ADDRESS = '^(?:[A-Za-z0-9._:%-]+|unix:///\\S+|[A-Za-z0-9._:%-]+ unix:///\\S+)$'

const address = (what: string) =>
  text(`Address that ${what} listens on.`, {
    otherwise: 'the value of `bind`',
    pattern: ADDRESS,
    rule: addressRule
  })

export const addressesConfig = section({
  http: text(
    'Address that HTTP listens on: an IP address or host name, a Unix socket as in `unix:///run/annals/http.sock`, or both, as in `127.0.0.1 unix:///run/annals/http.sock`.',
    {
      otherwise: 'the value of `bind`',
      pattern: HTTP_ADDRESS,
      rule: 'be an IP address or host name, unix:///path, or both with a space between them'
    }
  ),
  https: address('HTTPS'),
  dns: address('DNS')
})

/** Unset keeps the system's default. */
const ofSocket = (description: string, pattern: string, rule: string) =>
  optionalText(description, { otherwise: 'as the system creates the file', pattern, rule })

export const unixSocketsConfig = section({
  user: ofSocket(
    'Owner of the Unix socket of `addresses.http`: a name or an ID.',
    '^[A-Za-z0-9_][A-Za-z0-9._-]*$',
    'be the name or ID of a user'
  ),
  group: ofSocket('Group of the Unix socket: an ID.', '^[0-9]{1,9}$', 'be the ID of a group'),
  mode: ofSocket(
    'Permissions of the Unix socket, in octal digits. Connecting requires the permission to write.',
    '^[0-7]{3,4}$',
    'be octal digits, such as "0660"'
  )
})

const file = (description: string, otherwise = 'none') =>
  optionalText(`${description} The server rereads the file when it changes.`, { otherwise, reloads: true })

export const tlsConfig = section({
  http: section({
    cert_file: file(
      'PEM file with the certificate of `ports.https`, followed by its intermediate authorities.'
    ),
    key_file: file('PEM file with the private key of the certificate.'),
    ca_file: file('PEM file with the authorities of client certificates.'),
    verify_incoming: toggle(
      'Accept connections to `ports.https` only from clients with a certificate of an authority in `tls.http.ca_file`.'
    ),
    min_version: choice(['1.2', '1.3'], 'Oldest version of TLS that `ports.https` accepts.', {
      default: '1.2',
      reloads: true
    })
  }),
  outgoing: section({
    ca_file: file(
      'PEM file with authorities that this server trusts for its own connections (HTTPS checks, providers of auth methods), besides those of the system. An auth method with a CA trusts only that one.'
    ),
    cert_file: file('PEM file with the client certificate of this server for its own connections.'),
    key_file: file('PEM file with the private key of `tls.outgoing.cert_file`.')
  }),
  required: toggle(
    'Refuse to start if other machines can reach the server without TLS or with ACLs off. Otherwise such a server warns at each start.',
    { default: false, reloads: true }
  )
})

export const httpConfig = section({
  trusted_proxies: networks(
    'Proxies whose X-Forwarded-For the server trusts. The client is the last address in it that is not such a proxy.'
  ),
  allowed_hosts: texts(
    'Further names in the `Host` header that a server on a loopback address accepts. It always accepts addresses, `localhost`, the names of machine and node, `host.docker.internal` and names under `domain`. It rejects any other Host with 421, because a web page could have pointed its own name to this machine. `["*"]` allows all.',
    {
      pattern: '^(\\*|[A-Za-z0-9._-]+)$',
      rule: 'be a list of host names without ports, or ["*"]',
      reloads: true
    }
  ),
  allowed_origins: texts(
    'Origins whose web pages may read, write and open WebSockets, such as `https://ui.example`. `["*"]` allows all. The server rejects writes and WebSockets of other pages with 403, except for its own.',
    {
      pattern: '^(\\*|https?://[^\\s/?#@]+)$',
      rule: 'be a list of origins, such as ["https://ui.example:8443"], or ["*"]',
      reloads: true
    }
  )
})
