// The configuration keys of TLS, for what this server serves and for what it asks of others.
import * as Type from 'typebox'
import { choice, section, text, toggle } from './values.js'

const file = (description: string, otherwise = 'none') =>
  Type.Optional(text(`${description} It is read again when it changes.`, { otherwise, reloads: true }))

export const tlsConfig = section({
  http: section({
    cert_file: file('PEM file with the certificate of `ports.https`, followed by those that signed it.'),
    key_file: file('PEM file with the private key of the certificate.'),
    ca_file: file('PEM file with the certificates that must have signed those of clients.'),
    verify_incoming: toggle(
      'Take connections to `ports.https` only from clients with a certificate that `tls.http.ca_file` signed.',
      {
        default: false
      }
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
