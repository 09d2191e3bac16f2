// Environment variables of the command-line client, which a server ignores.

/** Variables of Annals precede those of Consul. */
const CLIENT_PREFIXES = ['ANNALS_', 'CONSUL_'] as const

/** Names without a prefix, and help texts. */
export const clientVariables = {
  httpAddr: {
    name: 'HTTP_ADDR',
    about: 'address of the server: host:port, a URL, or unix:///path/of/a/socket'
  },
  context: { name: 'CONTEXT', about: 'context to use instead of the current one' },
  token: { name: 'HTTP_TOKEN', about: 'SecretID of the token of requests' },
  tokenFile: { name: 'HTTP_TOKEN_FILE', about: 'file with the SecretID' },
  namespace: { name: 'NAMESPACE', about: 'namespace of requests' },
  partition: { name: 'PARTITION', about: 'admin partition of requests' },
  datacenter: { name: 'DATACENTER', about: 'datacenter that answers' },
  caFile: { name: 'CACERT', about: 'PEM file with the certificates of trusted authorities' },
  caPath: { name: 'CAPATH', about: 'folder of such files' },
  clientCert: { name: 'CLIENT_CERT', about: 'PEM file with the client certificate' },
  clientKey: { name: 'CLIENT_KEY', about: 'PEM file with the private key of the client certificate' },
  tlsServerName: { name: 'TLS_SERVER_NAME', about: 'name that the certificate of the server must have' },
  ssl: { name: 'HTTP_SSL', about: 'true: https if the address has no scheme' },
  sslVerify: { name: 'HTTP_SSL_VERIFY', about: 'false: accept any certificate' }
} as const

export type ClientVariable = keyof typeof clientVariables

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns undefined for an absent or empty variable. */
export const clientVariable = (env: Environment, variable: ClientVariable): string | undefined =>
  CLIENT_PREFIXES.map(prefix => env[prefix + clientVariables[variable].name]).find(
    value => value !== undefined && value !== ''
  )

const names: ReadonlySet<string> = new Set(
  Object.values(clientVariables).flatMap(({ name }) => CLIENT_PREFIXES.map(prefix => prefix + name))
)

export const isClientVariable = (name: string): boolean => names.has(name)
