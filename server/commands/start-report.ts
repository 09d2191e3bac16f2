// What a server tells people when it has started: where it listens, what protects it, and what to do next.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { ANONYMOUS_ACCESSOR, type Token } from '../../events/token.js'
import { Views } from '../../projections/read-models.js'
import { AgentTokens } from '../settings/agent-tokens.js'
import { SETTINGS } from '../settings/ports.js'
import { programVersion } from '../../events/version.js'
import type { ServerPorts } from '../running-server.js'
import { hostPort, httpAddressesOf } from '../settings/listeners.js'
import type { Settings } from '../settings/settings.js'

/** Rules that let DNS tell all that it knows. */
export const DNS_RULES =
  'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" } query_prefix "" { policy = "read" }'

const OFF = 'off'

const urlsOf = (
  settings: Pick<Settings, 'addresses' | 'ports'>,
  { port, httpsPort, dnsPort }: ServerPorts
) => {
  const { addresses, ports } = settings
  const { tcp, socket } = httpAddressesOf(settings)
  const http = [
    ...(port === undefined || tcp === undefined ? [] : [`http://${hostPort(tcp, port)}`]),
    ...(socket === undefined || ports.http === -1 ? [] : [`unix://${socket}`])
  ]
  return {
    http: http.join(' ') || OFF,
    https: httpsPort === undefined ? OFF : `https://${hostPort(addresses.https, httpsPort)}`,
    dns: dnsPort === undefined ? OFF : hostPort(addresses.dns, dnsPort)
  }
}

/** The arguments of curl that reach the first of the addresses, up to the path. */
const curlTo = (addresses: string): string => {
  const [first = ''] = addresses.split(' ')
  return first.startsWith('unix://')
    ? `--unix-socket ${first.slice('unix://'.length)} http://localhost`
    : first
}

/** Whether the next `PUT /v1/acl/bootstrap` makes a management token. A server that follows others cannot say so yet. */
const isBootstrapOpen = (
  { acl, cluster, datacenter, primary_datacenter }: Settings,
  { access }: Pick<Views, 'access'>
): boolean =>
  acl.enabled && !cluster.enabled && datacenter === primary_datacenter && access.bootstrap === undefined

const aclText = ({ acl }: Pick<Settings, 'acl'>, isOpen: boolean): string => {
  if (!acl.enabled) return OFF
  return `${acl.default_policy} by default${isOpen ? ', bootstrap is open' : ''}`
}

/** For the line of the log that says that the server has started. */
export const startFields = (scope: DependencyContainer, ports: ServerPorts) => {
  const settings = scope.resolve(SETTINGS)
  const views = scope.resolve(Views)
  const isOpen = isBootstrapOpen(settings, views)
  const urls = urlsOf(settings, ports)
  const own = curlTo(urls.http === OFF ? urls.https : urls.http)
  return {
    ...urls,
    data_dir: settings.data_dir,
    index: views.index,
    version: programVersion(),
    node: process.version,
    acls: aclText(settings, isOpen),
    at_rest: settings.encryption.key === undefined ? 'not encrypted' : 'secrets are encrypted',
    next: isOpen ? `curl -X PUT ${own}/v1/acl/bootstrap` : `curl ${own}/readyz`
  }
}

const isWithoutLinks = ({ Policies, Roles, ServiceIdentities, NodeIdentities }: Token): boolean =>
  [Policies, Roles, ServiceIdentities, NodeIdentities].every(links => links.length === 0)

/** Why DNS answers nothing at all, and what helps; undefined where it may answer. */
export const silentDns = (scope: DependencyContainer, { dnsPort }: ServerPorts): string | undefined => {
  const { acl } = scope.resolve(SETTINGS)
  if (dnsPort === undefined || !acl.enabled || acl.default_policy === 'allow') return undefined
  const secret = scope.resolve(AgentTokens).fallback
  const token = scope.resolve(Views).resolver.resolve(secret, scope.resolve(Clock).now())?.token?.token
  if (token?.AccessorID !== ANONYMOUS_ACCESSOR || !isWithoutLinks(token)) return undefined
  return (
    'DNS answers nothing: it asks with the anonymous token, which has no policy, and acl.default_policy is "deny". ' +
    `Link a policy to the token ${ANONYMOUS_ACCESSOR}, or name another one as acl.tokens.default. Rules that help: ${DNS_RULES}`
  )
}
