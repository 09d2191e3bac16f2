// What `annals doctor` checks.
import { connect } from 'node:tls'
import { messageOf } from '../../../events/errors.js'
import { programVersion } from '../../../events/version.js'
import type { Schemas } from '../../typescript/typed/index.js'
import { hasStatus } from '../console.js'
import type { Run } from '../remote/command.js'
import { datacenterOf } from '../remote/status.js'

export interface Finding {
  readonly Check: string
  readonly Result: 'ok' | 'warning' | 'failed'
  readonly Finding: string
  /** Absent if all is well. */
  readonly Fix?: string
}

export type Outcome = Omit<Finding, 'Check'>
type Requests = Pick<Run, 'get' | 'read' | 'connection'>

export const ok = (Finding: string): Outcome => ({ Result: 'ok', Finding })
export const warning = (Finding: string, Fix: string): Outcome => ({ Result: 'warning', Finding, Fix })
export const failed = (Finding: string, Fix: string): Outcome => ({ Result: 'failed', Finding, Fix })

const DAY_MS = 86_400_000
const MAX_SKEW_MS = 5000
export const EXPIRES_SOON_MS = 30 * DAY_MS
const LOOPBACK = /^(localhost|127\.|\[::1\])/

const connection = async ({ get, connection: { address } }: Requests): Promise<Outcome> => {
  try {
    await get('/healthz')
    return ok(`${address} answers`)
  } catch (error) {
    return failed(messageOf(error), 'Start the server, or correct --http-addr, --ca-file or the context')
  }
}

/** Returns why a server is not ready; the text itself if it is no readiness, such as that of a proxy. */
const unreadinessOf = (text: string): string => {
  try {
    const { Log, ReadModels, Leader, Ending, Reasons = [] }: Schemas['Readiness'] = JSON.parse(text)
    const state = `log ${Log}, read models ${ReadModels}, leader ${Leader}${Ending ? ', shutting down' : ''}`
    return [state, ...Reasons].join('; ')
  } catch {
    return text
  }
}

const ready = async ({ connection: { address }, get }: Requests): Promise<Outcome> => {
  const fix = 'See docs/how-to/recover.md; the log of the server has the reason'
  try {
    const { Reasons = [] } = await (await get('/readyz')).json<Schemas['Readiness']>()
    return Reasons.length > 0 ? warning(Reasons.join('; '), fix) : ok('accepts reads and writes')
  } catch (error) {
    if (!hasStatus(error, 503)) throw error
    return failed(`${address} is not ready: ${unreadinessOf(messageOf(error))}`, fix)
  }
}

const clock = async ({ get }: Requests): Promise<Outcome> => {
  const before = Date.now()
  const { headers } = await get('/healthz')
  const elapsed = Date.now() - before
  // The header has whole seconds.
  const skew =
    Math.abs(Date.parse(headers.get('Date') ?? '') + 500 - before - elapsed / 2) - elapsed / 2 - 500
  if (Number.isNaN(skew))
    return warning('the response has no date', 'Ask the server without the proxy in between')
  if (skew <= MAX_SKEW_MS) return ok('the clocks of server and client agree')
  return failed(
    `the clocks of server and client differ by ${Math.round(skew / 1000)} s`,
    'Synchronize both clocks by NTP: expirations and times depend on them'
  )
}

/** Resolves with the end of the server's certificate. Whether it is trusted has been checked. */
const certificateEnd = (url: URL): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { host: url.hostname, port: Number(url.port || 443), rejectUnauthorized: false }
    const socket = connect(options, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.end()
    })
    socket.once('error', reject)
  })

const tls = async ({ connection: { address } }: Requests): Promise<Outcome> => {
  const url = new URL(address)
  if (url.protocol === 'http:')
    return LOOPBACK.test(url.host)
      ? ok('not needed: the server is on this machine')
      : warning('tokens and values are sent without encryption', 'Turn on TLS: docs/how-to/tls.md')
  const end = await certificateEnd(url)
  const left = end - Date.now()
  const text = `the certificate is trusted until ${new Date(end).toISOString()}`
  return left > EXPIRES_SOON_MS ? ok(text) : warning(text, 'Renew the certificate of the server')
}

const FIX_TOKEN = 'Set --token-file, ANNALS_HTTP_TOKEN or a context, or run `annals login`'

const token = async ({ read, connection: { token: secret } }: Requests): Promise<Outcome> => {
  try {
    const { AccessorID, ExpirationTime } = await read('/v1/acl/token/self')
    const until = ExpirationTime === undefined ? '' : `, valid until ${ExpirationTime}`
    const missing = (await missingPermissions(read)).join(', ')
    return missing === ''
      ? ok(`token ${AccessorID}${until}`)
      : warning(
          `token ${AccessorID}${until} lacks ${missing}, which some checks need`,
          'Run this command with a management token, or add these rules to a policy of the token'
        )
  } catch (error) {
    if (hasStatus(error, 401)) return ok('not needed: ACLs are off')
    return secret
      ? failed(messageOf(error), FIX_TOKEN)
      : warning('requests have no token, and only the rights of the anonymous token', FIX_TOKEN)
  }
}

const NEEDED = ['operator', 'acl'] as const

const missingPermissions = async (read: Run['read']): Promise<readonly string[]> => {
  const { Rules, DefaultPolicy } = await read('/v1/acl/token/self/rights')
  const has = (name: string): boolean => {
    const rule = Rules.find(({ Text }) => Text === name)
    return rule ? rule.Level !== 'deny' : DefaultPolicy === 'allow' && name !== 'acl'
  }
  return NEEDED.filter(name => !has(name)).map(name => `${name}:read`)
}

const versions = async ({ read }: Requests): Promise<Outcome> => {
  const { Servers = [] } = await datacenterOf(read)
  const own = programVersion()
  const others = Servers.filter(({ Version }) => Version !== undefined && Version !== own)
  if (Servers.length === 0)
    return warning('the server does not name its version', 'Is it a server of Consul?')
  return others.length === 0
    ? ok(`client and servers have version ${own}`)
    : warning(
        `this program has version ${own}, but ${others.map(({ Node, Version }) => `${Node} ${Version}`).join(', ')}`,
        'Upgrade to one version: docs/how-to/upgrade.md'
      )
}

const GIB = 1024 ** 3
const LEAST_FREE = 0.1

const disk = async ({ read }: Requests): Promise<Outcome> => {
  const { Disk } = await read('/v1/agent/host')
  if (!Disk) return warning('the server does not name its disk', 'See the permissions of its data folder')
  const text = `${(Disk.free / GIB).toFixed(1)} of ${(Disk.total / GIB).toFixed(1)} GiB are free at ${Disk.path}`
  return Disk.free / Disk.total >= LEAST_FREE
    ? ok(text)
    : warning(text, 'Enlarge the disk, or prune the log (retention in docs/reference/settings.md)')
}

const cluster = async ({ read }: Requests): Promise<Outcome> => {
  const { Healthy, Servers, FailureTolerance } = await read('/v1/operator/autopilot/state')
  const count = Object.keys(Servers).length
  const sick = Object.values(Servers).filter(server => !server.Healthy)
  if (!Healthy)
    return failed(
      `unhealthy: ${sick.map(({ Name }) => Name).join(', ') || 'no leader is known'}`,
      'Start these servers, or forget them: docs/how-to/recover.md'
    )
  if (count === 1) return ok('one server, which is healthy')
  return FailureTolerance > 0
    ? ok(`${count} servers, all healthy, of which ${FailureTolerance} may fail`)
    : warning(`${count} servers, none of which may fail`, 'Add a server, or another member of etcd')
}

const CHECKS: Readonly<Record<string, (requests: Requests) => Promise<Outcome>>> = {
  Readiness: ready,
  Clock: clock,
  TLS: tls,
  Token: token,
  Versions: versions,
  Disk: disk,
  Cluster: cluster
}

/** Runs all checks; only the first one without a connection. */
export const findingsOf = async (requests: Requests): Promise<readonly Finding[]> => {
  const first = { Check: 'Connection', ...(await connection(requests)) }
  if (first.Result === 'failed') return [first]
  const others = Object.entries(CHECKS).map(async ([Check, check]) => {
    try {
      return { Check, ...(await check(requests)) }
    } catch (error) {
      return {
        Check,
        ...warning(`not checked: ${messageOf(error)}`, 'Repeat with a token that has the permission')
      }
    }
  })
  return [first, ...(await Promise.all(others))]
}
