// A primary, and a datacenter that does not replicate its tokens.
import type { ExecutionContext } from 'ava'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { startDatacenters, type Datacenter } from '../../../support/datacenters.js'
import { createPolicy, createToken, type TokenResponse } from '../../../http/support.js'

export interface Pair {
  readonly primary: Datacenter
  readonly secondary: Datacenter
  /** Lets time pass for both. */
  readonly advance: (ms: number) => void
}

/**
 * @param config further keys of the configuration of the secondary, and of its `acl` section
 * @param clock of both; default: one that runs
 * @param token by which it replicates everything but tokens; nothing is replicated without one
 */
export const withoutReplication = async (
  t: ExecutionContext,
  { acl = {}, ...config }: { readonly acl?: object; readonly [key: string]: unknown } = {},
  token?: string,
  clock = new SetClock()
): Promise<Pair> => {
  const all = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    clock,
    remote: () => (token === undefined ? {} : { token }),
    of: name => {
      const own = { enabled: true, default_policy: 'deny', enable_token_replication: false, ...acl }
      return name === 'dc1' ? {} : { config: { acl: own, ...config } }
    }
  })
  return { primary: all.at('dc1'), secondary: all.at('dc2'), advance: ms => all.advance(ms) }
}

/** Makes a token at the primary that may do what the rules say. */
export const tokenWith = async (
  primary: Datacenter,
  rules: string,
  more: object = {}
): Promise<TokenResponse> => {
  const ID = await createPolicy(primary, `p${primary.app.views.index}`, rules)
  return createToken(primary, { Policies: [{ ID }], ...more })
}

export const MAY_WRITE = 'key_prefix "" { policy = "write" }'

/** The status of writing a key with a token. */
export const writes = async (server: Datacenter, token: string | undefined): Promise<number> =>
  (await server.send('PUT', '/v1/kv/a', { token, body: 'x' })).status
