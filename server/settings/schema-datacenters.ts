// The configuration keys of several datacenters: where the others are, and what is replicated from the primary.
import * as Type from 'typebox'
import { map, secretKey, section, text } from './values.js'

const isOrigin = (url: string): boolean => /^https?:\/\/[^\s/?#@]+$/.test(url) && URL.canParse(url)

const url = () => Type.Refine(Type.String(), isOrigin)
const file = () => Type.Optional(Type.String({ minLength: 1 }))

/** How another datacenter is reached. */
const remoteDatacenter = Type.Object(
  {
    url: Type.Optional(url()),
    urls: Type.Optional(Type.Array(url())),
    token: Type.Optional(Type.String({ minLength: 1 })),
    ca_file: file(),
    cert_file: file(),
    key_file: file(),
    server_name: Type.Optional(Type.String({ minLength: 1 }))
  },
  { additionalProperties: false }
)

export const remoteDatacenters = map(
  remoteDatacenter,
  'Other datacenters by name. Of each `urls` of the HTTP interface of its servers (or one `url`), which are tried in turn, the one that answered last first; of the primary `token`, by which its tokens are replicated. For TLS `ca_file` (the only certificates to trust there), `cert_file` with `key_file`, in place of those of `tls.outgoing`, and `server_name` where the certificate there is for another name than the host of the URL; the files are read again when they change.',
  {
    secret: true,
    shows: ['url', 'urls', 'ca_file', 'cert_file', 'key_file', 'server_name'],
    rule: 'map names to {"urls": ["https://10.1.0.1:8501"], "token": "…", "ca_file": "…", "cert_file": "…", "key_file": "…", "server_name": "…"}, where each URL is a scheme, host and port, and all but the URLs may be left out'
  }
)

export const replicationConfig = section({
  key: Type.Optional(
    secretKey(
      'Key that seals what the primary sends the other datacenters for replication, the same in all of them.',
      {
        otherwise: 'none: the primary must know the others by their certificates'
      }
    )
  ),
  key_file: Type.Optional(
    text('File that holds the key, in place of `replication.key`.', { otherwise: 'none' })
  )
})
