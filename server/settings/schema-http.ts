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
    'Permissions of the Unix socket, in octal digits. Who may write it may connect.',
    '^[0-7]{3,4}$',
    'be octal digits, such as "0660"'
  )
})

const file = (description: string, otherwise = 'none') =>
  optionalText(`${description} It is read again when it changes.`, { otherwise, reloads: true })

export const tlsConfig = section({
  http: section({
    cert_file: file('PEM file with the certificate of `ports.https`, followed by those that signed it.'),
    key_file: file('PEM file with the private key of the certificate.'),
    ca_file: file('PEM file with the certificates that must have signed those of clients.'),
    verify_incoming: toggle(
      'Take connections to `ports.https` only from clients with a certificate that `tls.http.ca_file` signed.'
    ),
    min_version: choice(['1.2', '1.3'], 'Oldest version of TLS that `ports.https` takes.', {
      default: '1.2',
      reloads: true
    })
  }),
  outgoing: section({
    ca_file: file(
      'PEM file with certificates to trust where this server connects by TLS (HTTPS checks, providers of auth methods), besides those that the system trusts. An auth method that names a CA trusts that one alone.'
    ),
    cert_file: file('PEM file with the certificate that this server shows where it is asked for one.'),
    key_file: file('PEM file with the private key of that certificate.')
  }),
  required: toggle(
    'Refuse to start where others than this machine could reach the server without TLS, or with ACLs off. Without it such a server warns at each start.',
    { default: false, reloads: true }
  )
})

export const httpConfig = section({
  trusted_proxies: networks(
    'Proxies whose X-Forwarded-For is believed: the client is the last address in it that is none of them.'
  ),
  allowed_hosts: texts(
    'Further names in the `Host` header that a server on a loopback address accepts. It always accepts addresses, `localhost`, the names of machine and node, `host.docker.internal` and names under `domain`. Any other Host is 421, because a web page could have pointed its own name to this machine. `["*"]` allows all.',
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
