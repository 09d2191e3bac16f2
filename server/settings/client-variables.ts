// The environment variables of the command line's clients: where the server is and who asks. A server that runs
// beside them does not take them for settings.

/** Of every variable, first the one of Annals, then the one that clients of Consul know, which stands in for it. */
const CLIENT_PREFIXES = ['ANNALS_', 'CONSUL_'] as const

/** By what it says: the name without a prefix, and the words for help. */
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

/** What the environment says; undefined when it says nothing, or an empty text. */
export const clientVariable = (env: Environment, variable: ClientVariable): string | undefined =>
  CLIENT_PREFIXES.map(prefix => env[prefix + clientVariables[variable].name]).find(
    value => value !== undefined && value !== ''
  )

const names: ReadonlySet<string> = new Set(
  Object.values(clientVariables).flatMap(({ name }) => CLIENT_PREFIXES.map(prefix => prefix + name))
)

/** Whether an environment variable is about a client, not about a server. */
export const isClientVariable = (name: string): boolean => names.has(name)
