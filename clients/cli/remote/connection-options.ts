import { readFile } from 'node:fs/promises'
import { reasonValue, type Connection } from '../../typescript/connection.js'
import {
  clientVariable,
  clientVariables,
  type ClientVariable,
  type Environment
} from '../../../server/settings/client-variables.js'
import { readable, UsageError } from '../console.js'
import { contextNames, namesAt } from '../completion/sources.js'
import type { SelectedContext } from '../contexts/contexts.js'
import type { Transport } from './transport.js'
import type { WrapFetch } from './watching.js'
import { on, text, type FlagDefinitions, type FlagValues } from './flags.js'

const named = (variable: ClientVariable, value: string, options: Parameters<typeof text>[2] = {}) =>
  text(value, `${clientVariables[variable].about} (ANNALS_${clientVariables[variable].name})`, options)

export const connectionFlags = {
  httpAddr: named('httpAddr', 'address'),
  context: named('context', 'name', { completes: contextNames }),
  token: named('token', 'secret'),
  tokenFile: named('tokenFile', 'file'),
  namespace: named('namespace', 'name', { also: ['ns'], completes: namesAt('/v1/namespaces') }),
  partition: named('partition', 'name', { also: ['ap'] }),
  datacenter: named('datacenter', 'name', { also: ['dc'] }),
  caFile: named('caFile', 'file'),
  caPath: named('caPath', 'folder'),
  clientCert: named('clientCert', 'file'),
  clientKey: named('clientKey', 'file'),
  tlsServerName: named('tlsServerName', 'name'),
  stale: on('any server may answer, with a state that may be stale'),
  consistent: on('the leader verifies its leadership before it answers'),
  reason: text('text', 'reason for the change, which the commit stores')
} satisfies FlagDefinitions

export type ConnectionFlags = FlagValues<typeof connectionFlags>

const DEFAULT_ADDRESS = '127.0.0.1:8500'
const UNIX = /^unix:\/\//

const isTrue = (value: string | undefined): boolean => value !== undefined && /^(1|t|true)$/i.test(value)
const isFalse = (value: string | undefined): boolean => value !== undefined && /^(0|f|false)$/i.test(value)

const contentOf = (file: string, what: string): Promise<string> =>
  readable(`${what} ${file}`, readFile(file, 'utf8'))

/** Flags take precedence over the environment and the context, and a token over a token file. */
const tokenOf = async (
  flags: Partial<ConnectionFlags>,
  env: Environment,
  selected: SelectedContext | undefined
): Promise<string | undefined> => {
  if (flags.token !== undefined) return flags.token
  const ofContext = selected?.context.tokenFile
  const first = flags.tokenFile ?? (selected?.isExplicit ? ofContext : undefined)
  const inEnvironment = first === undefined ? clientVariable(env, 'token') : undefined
  if (inEnvironment !== undefined) return inEnvironment
  const file = first ?? clientVariable(env, 'tokenFile') ?? ofContext
  return file === undefined ? undefined : (await contentOf(file, 'the token file')).trim()
}

/** Returns a `fetch` that sends the reason with each request. */
const withReason = (reason: string, fetching: typeof fetch = fetch): typeof fetch => {
  const headerValue = reasonValue(reason)
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('X-Service-Reason', headerValue)
    return fetching(input, { ...init, headers })
  }
}

/** @throws UsageError */
export const connectionOf = async (
  flags: Partial<ConnectionFlags>,
  env: Environment,
  {
    selected,
    wrap
  }: { readonly selected?: SelectedContext | undefined; readonly wrap?: WrapFetch | undefined } = {}
): Promise<Connection> => {
  const defaults: Partial<Record<ClientVariable, string>> = selected?.context ?? {}
  const value = (variable: Exclude<ClientVariable, 'ssl' | 'sslVerify'>): string | undefined =>
    flags[variable] ??
    (selected?.isExplicit ? defaults[variable] : undefined) ??
    clientVariable(env, variable) ??
    defaults[variable]
  const server = value('httpAddr') ?? DEFAULT_ADDRESS
  const isSocket = UNIX.test(server)
  const withScheme = (address: string): string =>
    !address.includes('://') && isTrue(clientVariable(env, 'ssl')) ? `https://${address}` : address
  const address = isSocket ? 'http://localhost' : withScheme(server)
  const [token, { Connection }, own] = await Promise.all([
    tokenOf(flags, env, selected),
    import('../../typescript/connection.js'),
    ownFetch({
      socketPath: isSocket ? server.replace(UNIX, '') : undefined,
      caFile: value('caFile'),
      caPath: value('caPath'),
      clientCert: value('clientCert'),
      clientKey: value('clientKey'),
      serverName: value('tlsServerName'),
      believesAll: isFalse(clientVariable(env, 'sslVerify'))
    })
  ])
  const saying = flags.reason === undefined ? own : withReason(flags.reason, own)
  try {
    return new Connection({
      address,
      token,
      namespace: value('namespace'),
      partition: value('partition'),
      datacenter: value('datacenter'),
      fetch: wrap ? wrap(saying ?? fetch) : saying
    })
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error
  }
}

/** Returns undefined if Node's `fetch` suffices, to avoid loading another one. */
const ownFetch = async (transport: Transport): Promise<typeof fetch | undefined> => {
  if (Object.values(transport).every(value => value === undefined || value === false)) return undefined
  const { fetchOver } = await import('./transport.js')
  return fetchOver(transport, contentOf)
}
