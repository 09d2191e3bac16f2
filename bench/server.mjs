// A server as benchmarks use it, and the built one: started on an empty data folder, with a management token.
import { send } from '../dist/test/support/client.js'
import { startServer } from '../dist/test/support/process.js'

/**
 * Starts the built server. `call` performs one request with the management token and returns the answer's JSON;
 * `createTokens` makes some tokens without rights and returns them.
 * @param options as for `startServer` in test/support/process.ts
 */
export async function startBenched(scope, options) {
  const server = await startServer(scope, options)
  return benched(server, await server.bootstrap())
}

/** A server that listens, as benchmarks use it. @param root secret of its management token */
export function benched(server, root) {
  const call = async (method, path, body) => {
    const { status, text } = await send(server.base, method, path, { token: root, body })
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status} ${text}`)
    return JSON.parse(text)
  }
  const createTokens = async count => {
    const tokens = []
    for (let i = 0; i < count; i++)
      tokens.push(await call('PUT', '/v1/acl/token', { Description: 'made by the benchmark' }))
    return tokens
  }
  return { ...server, root, call, createTokens }
}
