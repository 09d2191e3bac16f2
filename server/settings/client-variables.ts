// Environment variables of the command-line client, which a server ignores.

/** Variables of Annals precede those of Consul. */
const CLIENT_PREFIXES = ['ANNALS_', 'CONSUL_'] as const

/** Names without a prefix, and help texts. */
export const clientVariables = {
  httpAddr: {
    name: 'HTTP_ADDR',
    about: 'address of the server: host:port, a URL, or unix:///path/of/a/socket'
  },
  token: { name: 'HTTP_TOKEN', about: 'secret of the token to ask with' },
  tokenFile: { name: 'HTTP_TOKEN_FILE', about: 'file that holds that secret' },
  namespace: { name: 'NAMESPACE', about: 'namespace to work in' },
  partition: { name: 'PARTITION', about: 'admin partition to work in' },
  datacenter: { name: 'DATACENTER', about: 'datacenter that answers' },
  caFile: { name: 'CACERT', about: 'PEM file with the certificates of the authorities to trust' },
  caPath: { name: 'CAPATH', about: 'folder of such files' },
  clientCert: { name: 'CLIENT_CERT', about: 'PEM file with the certificate to show' },
  clientKey: { name: 'CLIENT_KEY', about: 'PEM file with the key of that certificate' },
  tlsServerName: { name: 'TLS_SERVER_NAME', about: 'name that the certificate of the server must bear' },
  ssl: { name: 'HTTP_SSL', about: 'true: https, where the address does not say' },
  sslVerify: { name: 'HTTP_SSL_VERIFY', about: 'false: believe any certificate' }
} as const

export type ClientVariable = keyof typeof clientVariables

type Environment = Readonly<Record<string, string | undefined>>

/** Returns undefined for an absent or empty variable. */
export const clientVariable = (env: Environment, variable: ClientVariable): string | undefined =>
  CLIENT_PREFIXES.map(prefix => env[prefix + clientVariables[variable].name]).find(
    value => value !== undefined && value !== ''
  )

const names: ReadonlySet<string> = new Set(
  Object.values(clientVariables).flatMap(({ name }) => CLIENT_PREFIXES.map(prefix => prefix + name))
)

export const isClientVariable = (name: string): boolean => names.has(name)
