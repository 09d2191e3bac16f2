// The configuration keys of where the server listens.
import * as Type from 'typebox'
import { section, text } from './values.js'

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

/** Unset, the file is as the system creates it. */
const ofSocket = (description: string, pattern: string, rule: string) =>
  Type.Optional(text(description, { otherwise: 'as the system creates the file', pattern, rule }))

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
